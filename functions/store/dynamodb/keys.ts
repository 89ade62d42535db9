import type { Clock } from '../../core/ports.ts'
import { QUOTA_RESOURCE } from '../../core/values/quota.ts'
import type { HostIdentity } from '../federation.store.ts'
import { DELIVERY_PREFIX, FEED_PARTITION, IDENTITY_PREFIX, OBSERVE_PREFIX } from './table-definition.ts'

/** Primary key of an item. Layout: `functions/store/README.md`. */
export type ItemKey = { pk: string; sk: string }

/** Kinds of entity with a name index, as they begin their sort keys. */
export type NamedKind = 'CLUSTER' | 'FEDERATION' | 'TEMPLATE'

/** Everything that belongs to a project shares its partition: tenancy is in the key. */
export const projectPartition = (projectId: string): string => `P#${projectId}`

/** Whose partition it is. */
export const projectOfPartition = (pk: string): string => pk.slice(projectPartition('').length)

/** Names and purposes may hold any text; `#` separates the parts of a sort key. */
const part = (text: string): string => text.replaceAll('%', '%25').replaceAll('#', '%23')

const inProject = (projectId: string, sk: string): ItemKey => ({ pk: projectPartition(projectId), sk })

export const CLUSTER_PREFIX = 'CLUSTER#'
export const clusterKey = ({ projectId, id }: { projectId: string; id: string }): ItemKey =>
  inProject(projectId, `${CLUSTER_PREFIX}${id}`)

export const FEDERATION_PREFIX = 'FEDERATION#'
export const federationKey = ({ projectId, id }: { projectId: string; id: string }): ItemKey =>
  inProject(projectId, `${FEDERATION_PREFIX}${id}`)

export const TEMPLATE_PREFIX = 'TEMPLATE#'
export const templateKey = ({ projectId, id }: { projectId: string; id: string }): ItemKey =>
  inProject(projectId, `${TEMPLATE_PREFIX}${id}`)

/** Where the published templates of all projects are found: pointers, which say whose they are. */
export const PUBLIC_PARTITION = 'PUBLIC'
export const publicTemplateKey = (id: string): ItemKey => ({ pk: PUBLIC_PARTITION, sk: `${TEMPLATE_PREFIX}${id}` })
export const publicNameKey = (id: string, name: string): ItemKey => ({
  pk: PUBLIC_PARTITION,
  sk: `${namePrefix('TEMPLATE', name)}${id}`,
})

/** Callers may choose a template's id, which is theirs in all projects then. */
export const templateIdKey = (id: string): ItemKey => ({ pk: `${TEMPLATE_PREFIX}${id}`, sk: 'OWNER' })

export const nodeGroupPrefix = (clusterId: string): string => `NODEGROUP#${clusterId}#`
export const nodeGroupKey = (key: { projectId: string; clusterId: string; id: string }): ItemKey =>
  inProject(key.projectId, `${nodeGroupPrefix(key.clusterId)}${key.id}`)

export const MEMBERSHIP_PREFIX = 'MEMBER#'
export const membershipPrefix = (federationId: string): string => `${MEMBERSHIP_PREFIX}${federationId}#`
export const membershipKey = (key: { projectId: string; federationId: string; clusterId: string }): ItemKey =>
  inProject(key.projectId, `${membershipPrefix(key.federationId)}${key.clusterId}`)

export const GRANT_PREFIX = 'GRANT#'
export const grantPrefix = (clusterId: string): string => `${GRANT_PREFIX}${clusterId}#`
export const grantKey = (key: { projectId: string; clusterId: string; id: string }): ItemKey =>
  inProject(key.projectId, `${grantPrefix(key.clusterId)}${key.id}`)

export const RECEIVED_PREFIX = 'RECEIVED#'
/** Where a receiver finds a grant: in its project's partition, or in one of the federation, whose project its giver need not know. */
export const receivedKey = ({
  receiver,
  clusterId,
  id,
}: {
  receiver: { projectId: string } | { federationId: string }
  clusterId: string
  id: string
}): ItemKey => ({
  pk: 'projectId' in receiver ? projectPartition(receiver.projectId) : `GRANTS#${receiver.federationId}`,
  sk: `${RECEIVED_PREFIX}${clusterId}#${id}`,
})

export const namePrefix = (kind: NamedKind, name: string): string => `NAME#${kind}#${part(name)}#`
/** All names of a kind in a project: as many items as there are entities of it, and small ones. */
export const namesPrefix = (kind: NamedKind): string => `NAME#${kind}#`
export const nameKey = (kind: NamedKind, entity: { projectId: string; id: string; name: string }): ItemKey =>
  inProject(entity.projectId, `${namePrefix(kind, entity.name)}${entity.id}`)

/** What the cloud's own events call a cluster; as a name, it need not be unique. */
export const cloudNameKey = ({ projectId, id }: { projectId: string; id: string }, name: string): ItemKey =>
  inProject(projectId, `CLOUDNAME#${part(name)}#${id}`)

export const uidKey = (projectId: string, uid: string): ItemKey => inProject(projectId, `UID#${part(uid)}`)

/**
 * Within the project: a uid is what a cluster says of itself, so that an impostor in another project could claim namespaces of a host that
 * it is not. Across projects the labels in the host decide (decision 0028).
 */
export const namespaceKey = ({ projectId, uid }: HostIdentity, namespace: string): ItemKey =>
  inProject(projectId, `HOST#${part(uid)}#NS#${part(namespace)}`)

/** The text that was escaped. */
const unescaped = (text = ''): string => text.replaceAll('%23', '#').replaceAll('%25', '%')

export const CREDENTIAL_PREFIX = 'CRED#'
export const credentialKey = (key: { projectId: string; owner: string; purpose: string }): ItemKey =>
  inProject(key.projectId, `${CREDENTIAL_PREFIX}${part(key.owner)}#${part(key.purpose)}`)
/** What a sealed secret's key says about it. */
export const credentialKeyParts = ({ pk, sk }: ItemKey) => {
  const [, owner, purpose] = sk.split('#')
  return { projectId: projectOfPartition(pk), owner: unescaped(owner), purpose: unescaped(purpose) }
}

export const CERTIFICATE_PREFIX = 'CERT#'
export const authorityKey = (key: {
  projectId: string
  clusterId: string
  type: string
  candidate: boolean
}): ItemKey =>
  inProject(key.projectId, `${CERTIFICATE_PREFIX}${key.clusterId}#${key.type}${key.candidate ? '/candidate' : ''}`)
/** What an authority's key says about it. */
export const authorityKeyParts = ({ sk }: ItemKey) => {
  const [, clusterId = '', whole = ''] = sk.split('#')
  const [type = '', candidate] = whole.split('/')
  return { clusterId, type, candidate: candidate !== undefined }
}

export const ISSUED_PREFIX = 'ISSUED#'
export const issuedPrefix = (of: { kind: string; id: string }): string => `${ISSUED_PREFIX}${of.kind}/${of.id}#`
export const issuedKey = (key: { projectId: string; of: { kind: string; id: string }; id: string }): ItemKey =>
  inProject(key.projectId, `${issuedPrefix(key.of)}${key.id}`)
/** What its key says about it. */
export const issuedKeyParts = ({ pk, sk }: Readonly<Record<string, unknown>>) => {
  const [, of = '', id = ''] = String(sk).split('#')
  const [kind, owner = ''] = of.split('/')
  const what = { kind: kind === 'cluster' ? ('cluster' as const) : ('federation' as const), id: owner }
  return { projectId: projectOfPartition(String(pk)), of: what, id }
}

export const LEFT_PREFIX = 'LEFT#'
export const leftKey = (key: { projectId: string; clusterId: string; federationId: string }): ItemKey =>
  inProject(key.projectId, `${LEFT_PREFIX}${key.clusterId}#${key.federationId}`)
/** What its key says about it. */
export const leftKeyParts = ({ pk, sk }: Readonly<Record<string, unknown>>) => {
  const [, clusterId = '', federationId = ''] = String(sk).split('#')
  return { projectId: projectOfPartition(String(pk)), clusterId, federationId }
}

/** Management clusters of all projects: few, and listed together. */
export const MANAGEMENT_PARTITION = 'MANAGEMENT'
export const MANAGEMENT_PREFIX = 'CLUSTER#'
export const managementKey = (clusterId: string): ItemKey => ({
  pk: MANAGEMENT_PARTITION,
  sk: `${MANAGEMENT_PREFIX}${clusterId}`,
})
/** Which of them is the default one of a driver. */
export const defaultManagementKey = (driver: string): ItemKey => ({
  pk: MANAGEMENT_PARTITION,
  sk: `DEFAULT#${part(driver)}`,
})

export const SELECTOR_PREFIX = 'SELECTOR#'
export const selectorKey = ({ projectId, id }: { projectId: string; id: string }): ItemKey =>
  inProject(projectId, `${SELECTOR_PREFIX}${id}`)

export const selectorWorkPrefix = (federationId: string): string => `SELECT#${federationId}#`
/** All clusters of a project: no cluster has this id. */
const ALL = 'ALL'
export const selectorWorkKey = (key: { projectId: string; federationId: string; clusterId: string | null }): ItemKey =>
  inProject(key.projectId, `${selectorWorkPrefix(key.federationId)}${key.clusterId ?? ALL}`)

export const STREAM_PREFIX = 'STREAM#'
export const streamPlaceKey = (projectId: string, place: number): ItemKey =>
  inProject(projectId, `${STREAM_PREFIX}${place}`)

export const TRIGGER_PREFIX = 'TRIGGER#'
export const triggerKey = ({ projectId, id }: { projectId: string; id: string }): ItemKey =>
  inProject(projectId, `${TRIGGER_PREFIX}${id}`)

export const deliveryPrefix = (triggerId: string): string => `${DELIVERY_PREFIX}${triggerId}#`
export const deliveryKey = (key: { projectId: string; triggerId: string; id: string }): ItemKey =>
  inProject(key.projectId, `${deliveryPrefix(key.triggerId)}${key.id}`)
/** What a delivery's key says about it. */
export const deliveryKeyParts = ({ pk, sk }: Readonly<Record<string, unknown>>) => {
  const [, triggerId = '', id = ''] = String(sk).split('#')
  return { projectId: projectOfPartition(String(pk)), triggerId, id }
}

export const observeKey = ({ projectId, clusterId }: { projectId: string; clusterId: string }): ItemKey =>
  inProject(projectId, `${OBSERVE_PREFIX}${clusterId}`)
/** What the key of a request to observe a cluster says about it. */
export const observeKeyParts = ({ pk, sk }: Readonly<Record<string, unknown>>) => ({
  projectId: projectOfPartition(String(pk)),
  clusterId: String(sk).slice(OBSERVE_PREFIX.length),
})

export const HOOK_PREFIX = 'HOOK#'
export const hookPrefix = (clusterId: string): string => `${HOOK_PREFIX}${clusterId}#`
export const hookKey = (key: { projectId: string; clusterId: string; id: string }): ItemKey =>
  inProject(key.projectId, `${hookPrefix(key.clusterId)}${key.id}`)
/** Whoever posts to a hook names no project. */
export const hookTokenKey = (digest: string): ItemKey => ({ pk: `HOOK#${digest}`, sk: 'HOOK' })

export const feedPartition = (projectId: string): string => `${FEED_PARTITION}${projectId}`
/** Digits of a sequence number of DynamoDB's streams at most (API reference, `SequenceNumber`): keys are compared as text. */
const POSITION_DIGITS = 40
export const feedKey = (projectId: string, position: string): ItemKey => ({
  pk: feedPartition(projectId),
  sk: position.padStart(POSITION_DIGITS, '0'),
})

/** Quotas of all projects: few, and listed together. */
export const QUOTA_PARTITION = 'QUOTA'
export const QUOTA_PREFIX = 'PROJECT#'
/** Of other resources than `Cluster`: apart, since the release before knows none. */
export const LIMIT_PREFIX = 'LIMIT#'
export const quotaKey = ({ projectId, resource }: { projectId: string; resource: string }): ItemKey => ({
  pk: QUOTA_PARTITION,
  sk: `${resource === QUOTA_RESOURCE ? QUOTA_PREFIX : LIMIT_PREFIX}${part(projectId)}#${resource}`,
})
/** How much of its quotas a project has taken. */
export const usageKey = (projectId: string): ItemKey => inProject(projectId, 'USAGE')

/** How many federations, templates or operations in progress a project has. */
export const projectUsageKey = (projectId: string, of: string): ItemKey => inProject(projectId, `USAGE#${of}`)

/** Scheduled workers. */
export const SERVICE_PARTITION = 'SERVICE'
export const HOST_PREFIX = 'HOST#'
export const heartbeatKey = (host: string): ItemKey => ({ pk: SERVICE_PARTITION, sk: `${HOST_PREFIX}${part(host)}` })

/** What a part of the health sweep has put off. */
export const putOffKey = ({ index, of }: { index: number; of: number }): ItemKey => ({
  pk: SERVICE_PARTITION,
  sk: `SWEEP#${index}/${of}`,
})

const inIdentity = (kind: string, id: string, sk: string): ItemKey => ({
  pk: `${IDENTITY_PREFIX}${kind}#${part(id)}`,
  sk,
})
export const revokedTokenKey = (tokenId: string): ItemKey => inIdentity('TOKEN', tokenId, 'REVOKED')
/** `of`: whose logins, in any text that needs no escape. */
export const loginCountKey = (of: string, span: string): ItemKey => inIdentity('LOGINS', of, span)
export const applicationCredentialKey = (id: string): ItemKey => inIdentity('APPCRED', id, 'CREDENTIAL')
export const APPLICATION_CREDENTIAL_NAME_PREFIX = 'APPCRED#'
export const applicationCredentialNameKey = (userId: string, name: string): ItemKey =>
  inIdentity('USER', userId, `${APPLICATION_CREDENTIAL_NAME_PREFIX}${part(name)}`)

/** The last number that was given out in a partition. */
export const counterKey = (pk: string): ItemKey => ({ pk, sk: 'COUNTER' })

/** One wrapped data key per project; the number leaves room for a rotation. */
export const dataKeyKey = (projectId: string): ItemKey => inProject(projectId, 'DATAKEY#1')

export const eventPrefix = (owner: { kind: string; id: string }): string => `EVENT#${owner.kind}/${owner.id}#`

/** `digest`: of the caller's key, which may be any text. */
export const idempotencyKey = (projectId: string, digest: string): ItemKey => inProject(projectId, `IDEM#${digest}`)

/** What an entity's key says about it; undefined for items that are no entity. */
export const entityOfKey = ({
  pk,
  sk,
}: ItemKey): { kind: 'cluster' | 'federation' | 'membership'; projectId: string; ids: string[] } | undefined => {
  const [prefix, ...ids] = sk.split('#')
  const projectId = projectOfPartition(pk)
  if (prefix === 'CLUSTER') return { kind: 'cluster', projectId, ids }
  if (prefix === 'FEDERATION') return { kind: 'federation', projectId, ids }
  return prefix === 'MEMBER' ? { kind: 'membership', projectId, ids } : undefined
}

/** Now, in the unit of DynamoDB's TTL attribute. */
export const epochSeconds = (clock: Clock): number => Math.floor(clock.now().getTime() / 1000)
