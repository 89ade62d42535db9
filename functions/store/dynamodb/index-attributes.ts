import type { Cluster } from '../../core/cluster/cluster.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import type { Federation } from '../../core/federation/federation.ts'
import { endOf, type Grant } from '../../core/grant/grant.ts'
import { type Membership, operationOf } from '../../core/membership/membership.ts'
import type { Delivery } from '../../core/trigger/trigger.ts'
import type { IssuedKubeconfig } from '../inventory.store.ts'
import { type NamedKind, namePrefix } from './keys.ts'
import { INDEX_SHARDS } from './table-definition.ts'

/** Keys of an item in the sparse indexes; null where it does not belong. The only place that decides. */
export type IndexAttributes = {
  openPk?: string | null
  openSk?: string | null
  renewPk?: string | null
  renewSk?: string | null
  kindPk?: string
  kindSk?: string
}

/** Ids end in random hex digits, so the last one spreads entities evenly. */
export const shardOf = (id: string): number => (Number.parseInt(id.slice(-1), 16) || 0) % INDEX_SHARDS

export const openPartition = (shard: number): string => `OPEN#${shard}`
export const renewalPartition = (shard: number): string => `RENEW#${shard}`
export const kindPartition = (kind: NamedKind, shard: number): string => `${kind}#${shard}`
/** Grants that end, beside the open work. */
export const grantPartition = (shard: number): string => `GRANT#${shard}`
/** Holds the names of all projects beside the kinds, so that a name can be looked up without a project. */
export const namePartition = (kind: NamedKind, name: string): string => namePrefix(kind, name).slice(0, -1)

/** Beside the kinds, since the cloud's events name no project. */
export const cloudNamePartition = (name: string): string => `CLOUDNAME#${name}`

const open = (id: string, deadline: string | undefined): Pick<IndexAttributes, 'openPk' | 'openSk'> =>
  deadline === undefined ? { openPk: null, openSk: null } : { openPk: openPartition(shardOf(id)), openSk: deadline }

const renewal = (id: string, renewAfter: string | null): Pick<IndexAttributes, 'renewPk' | 'renewSk'> => ({
  renewPk: renewAfter === null ? null : renewalPartition(shardOf(id)),
  renewSk: renewAfter,
})

type IndexedCluster = Pick<Cluster, 'id' | 'operation' | 'status' | 'cloud'>

/** Without a credential in the cloud there is nothing to renew; it ends with the cluster. */
const cloudRenewal = ({ status, cloud }: IndexedCluster): string | null =>
  status.startsWith('DELETE_') ? null : (cloud?.renewAfter ?? null)

/** Open while an operation runs; due for renewal while it has a credential in a cloud. */
export const clusterIndexAttributes = (cluster: IndexedCluster): IndexAttributes => ({
  ...open(cluster.id, cluster.operation?.deadline),
  ...renewal(cluster.id, cloudRenewal(cluster)),
  kindPk: kindPartition('CLUSTER', shardOf(cluster.id)),
  kindSk: cluster.id,
})

/** Never in progress. */
export const templateIndexAttributes = ({ id }: Pick<ClusterTemplate, 'id'>): IndexAttributes => ({
  kindPk: kindPartition('TEMPLATE', shardOf(id)),
  kindSk: id,
})

export const nameIndexAttributes = (kind: NamedKind, { id, name }: { id: string; name: string }): IndexAttributes => ({
  kindPk: namePartition(kind, name),
  kindSk: id,
})

type IndexedFederation = Pick<Federation, 'id' | 'operation' | 'change' | 'status' | 'renewAfter'>

/**
 * Open while an operation or a run of membership changes goes on, by the earlier deadline; waiting memberships hang on it too. Due for
 * renewal while its certificates have a date for it, until it is deleted.
 */
export const federationIndexAttributes = ({
  id,
  operation,
  change,
  status,
  renewAfter,
}: IndexedFederation): IndexAttributes => ({
  ...open(id, [operation?.deadline, change?.deadline].filter((deadline) => deadline !== undefined).sort()[0]),
  ...renewal(id, status.startsWith('DELETE_') ? null : renewAfter),
  kindPk: kindPartition('FEDERATION', shardOf(id)),
  kindSk: id,
})

/** Open while an operation runs; due for renewal while the credential of a member in rest has a date for it. */
export const membershipIndexAttributes = (membership: Membership): IndexAttributes => {
  const settled = membership.state === 'Ready' || membership.state === 'Degraded'
  const renewAfter = (settled ? membership.credential?.renewAfter : null) ?? null
  return {
    ...open(membership.clusterId, operationOf(membership)?.deadline),
    ...renewal(membership.clusterId, renewAfter),
  }
}

/** Beside the renewals: due at a time, and not sooner. */
export const deliveryPartition = (shard: number): string => `DELIVER#${shard}`

/** Due while it is pending. */
export const deliveryIndexAttributes = ({ id, nextAt }: Pick<Delivery, 'id' | 'nextAt'>): IndexAttributes => ({
  renewPk: nextAt === null ? null : deliveryPartition(shardOf(id)),
  renewSk: nextAt,
})

/** Beside the renewals: what selectors have still to follow. */
export const selectorPartition = (shard: number): string => `SELECT#${shard}`

/** Due at once, and until it is done. */
export const selectorWorkIndexAttributes = ({
  federationId,
  since,
}: {
  federationId: string
  since: string
}): IndexAttributes => ({ renewPk: selectorPartition(shardOf(federationId)), renewSk: since })

/** From when a grant has come to its end, until it is gone. */
export const grantIndexAttributes = (grant: Pick<Grant, 'id' | 'expiresAt' | 'revokedAt'>): IndexAttributes => {
  const end = endOf(grant)
  return end === null ? { openPk: null, openSk: null } : { openPk: grantPartition(shardOf(grant.id)), openSk: end }
}

/** Beside the renewals, too. */
export const observePartition = (shard: number): string => `OBSERVE#${shard}`

/** Due while somebody waits for an observation, or one goes on. */
export const observeIndexAttributes = (clusterId: string, due: string | null): IndexAttributes => ({
  renewPk: due === null ? null : observePartition(shardOf(clusterId)),
  renewSk: due,
})

export const issuedPartition = (shard: number): string => `ISSUED#${shard}`

/** Due when it has expired: what was made for it in a cluster is removed then. A control plane has nothing of it. */
export const issuedIndexAttributes = ({ id, of, expiresAt }: IssuedKubeconfig): IndexAttributes =>
  of.kind === 'cluster' ? { renewPk: issuedPartition(shardOf(id)), renewSk: expiresAt } : {}

export const leftPartition = (shard: number): string => `LEFT#${shard}`

/** Due until it is removed. */
export const leftIndexAttributes = (left: { clusterId: string; dueAt: string }): IndexAttributes => ({
  renewPk: leftPartition(shardOf(left.clusterId)),
  renewSk: left.dueAt,
})

/** For a new item: without the nulls, which DynamoDB refuses in keys of an index. */
export const presentOnly = (attributes: IndexAttributes): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== null))

/** For an update: what to set, and what to remove. */
export const indexChanges = (attributes: IndexAttributes): { set: Record<string, string>; remove: string[] } => ({
  set: presentOnly(attributes),
  remove: Object.entries(attributes)
    .filter(([, value]) => value === null)
    .map(([name]) => name),
})
