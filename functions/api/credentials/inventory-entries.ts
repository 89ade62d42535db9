import { createHash, X509Certificate } from 'node:crypto'
import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Hook } from '../../core/cluster/observe-request.ts'
import type { Federation } from '../../core/federation/federation.ts'
import type { Membership } from '../../core/membership/membership.ts'
import type { Trigger } from '../../core/trigger/trigger.ts'
import { describeObject, type ObjectRef } from '../../core/values/object-ref.ts'
import type { CredentialKey } from '../../store/credential.store.ts'
import type { IssuedKubeconfig, Leftover, StoredAuthority } from '../../store/inventory.store.ts'

/** What a project has, as far as it has to do with credentials. */
export type Stock = {
  projectId: string
  clusters: ReadonlyMap<string, Cluster>
  /** Those of the project, and those of others that use its clusters. */
  federations: ReadonlyMap<string, Federation>
  /** The same. */
  memberships: readonly Membership[]
  triggers: ReadonlyMap<string, Trigger>
  hooks: readonly Hook[]
  authorities: readonly StoredAuthority[]
  sealed: readonly CredentialKey[]
  issued: readonly IssuedKubeconfig[]
  leftovers: readonly Leftover[]
  /** Which rights a federation takes at its host and in members; null when its driver is unknown. */
  rightsOf(side: 'host' | 'member', federation: Federation | undefined): string | null
}

/** One credential, or an account that credentials are of. */
export type Entry = {
  id: string
  kind: string
  /** Where it is: sealed in our table, in a cluster, or with whoever got it. */
  place: 'fedplane' | 'host' | 'member' | 'control-plane' | 'bearer'
  clusterId: string | null
  federationId: string | null
  /** What it is, for those who look for it there. */
  object: string | null
  /** Who uses it. */
  holder: 'fedplane' | 'federation' | 'user' | 'anyone' | 'nobody'
  userId: string | null
  /** Of those who have it; null: unknown. */
  rights: string | null
  /** ISO-8601 UTC. */
  validUntil: string | 'never' | 'unknown'
  /** Its member left, and could not be cleaned. */
  isLeftBehind?: true
}

/** The same for the same credential, in the form that markers of lists have. */
const idOf = (...parts: readonly string[]): string => {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

const ours = {
  place: 'fedplane',
  clusterId: null,
  federationId: null,
  object: null,
  holder: 'fedplane',
  userId: null,
  rights: null,
  validUntil: 'never',
} as const satisfies Partial<Entry>

type Found = Omit<Entry, 'id'>

const ofCluster = (cluster: Cluster | undefined, purpose: string): Partial<Found> | undefined => {
  if (purpose.startsWith('kubeconfig')) {
    const user = cluster?.identity?.user
    return { kind: 'cluster-kubeconfig', rights: user === undefined ? null : `as ${user}`, validUntil: 'unknown' }
  }
  if (!purpose.startsWith('cloud')) return undefined
  return {
    kind: 'application-credential',
    userId: cluster?.cloud?.userId ?? null,
    rights: 'in the cloud of the project',
  }
}

const ofTrigger = (trigger: Trigger | undefined, purpose: string): Partial<Found> => ({
  kind: 'trigger-secret',
  object: trigger?.name ?? null,
  userId: trigger?.userId ?? null,
  rights: 'sign events',
  validUntil: (purpose === 'signing-former' && trigger?.formerSecretUntil) || 'never',
})

/** By whose it is; undefined for what is no credential. */
const sealedEntry = (stock: Stock, { owner, purpose }: CredentialKey): Partial<Found> | undefined => {
  const [kind, id = '', clusterId = ''] = owner.split('/')
  if (kind === 'cluster') {
    const what = ofCluster(stock.clusters.get(id), purpose)
    return what && { ...what, clusterId: id }
  }
  if (kind === 'trigger') return ofTrigger(stock.triggers.get(id), purpose)
  if (kind === 'federation') {
    return {
      kind: 'control-plane-keys',
      federationId: id,
      object: purpose,
      rights: 'everything',
      validUntil: 'unknown',
    }
  }
  const membership = stock.memberships.find((it) => it.federationId === id && it.clusterId === clusterId)
  return {
    kind: 'member-token',
    federationId: id,
    clusterId,
    holder: 'federation',
    rights: stock.rightsOf('member', stock.federations.get(id)),
    validUntil: membership === undefined ? 'unknown' : (membership.credential?.expiresAt ?? 'never'),
  }
}

/** Kinds of objects that are credentials, or that credentials are of. */
const KINDS: Readonly<Record<string, string>> = { ServiceAccount: 'service-account', Secret: 'secret' }

/** What flows made for a federation, as far as this project may see it, and the cluster that is the member. */
type Made = {
  refs: readonly ObjectRef[]
  federation: Federation | undefined
  federationId: string
  clusterId: string
  /** Made for a member: a Secret leads into that one, wherever it is. */
  isOfMember?: true
}

const madeEntries = ({ rightsOf }: Stock, { refs, federation, federationId, clusterId, isOfMember }: Made): Entry[] =>
  refs.flatMap((ref): Entry[] => {
    const kind = KINDS[ref.kind]
    if (kind === undefined) return []
    const side = ref.where === 'member' ? 'member' : 'host'
    return [
      {
        ...ours,
        id: idOf('made', federationId, clusterId, describeObject(ref)),
        kind,
        place: ref.where,
        clusterId: side === 'member' ? clusterId : (federation?.hostClusterId ?? null),
        federationId,
        object: describeObject(ref),
        holder: 'federation',
        rights: rightsOf(isOfMember && ref.kind === 'Secret' ? 'member' : side, federation),
      },
    ]
  })

const hookEntry = ({ id, clusterId, name, userId }: Hook): Entry => ({
  ...ours,
  id,
  kind: 'hook',
  place: 'bearer',
  clusterId,
  object: name,
  holder: 'anyone',
  userId,
  rights: 'have the cluster observed',
})

const authorityEntry = ({ clusterId, type, candidate, certificatePem }: StoredAuthority): Entry => ({
  ...ours,
  id: idOf('authority', clusterId, type, String(candidate)),
  kind: 'certificate-authority',
  clusterId,
  object: candidate ? `${type}, of a rotation` : type,
  rights: 'sign certificates of the cluster',
  validUntil: new X509Certificate(certificatePem).validToDate.toISOString(),
})

const issuedEntry = ({ id, of, userId, role, namespace, expiresAt, isWithheld }: IssuedKubeconfig): Entry => ({
  ...ours,
  id,
  kind: 'kubeconfig',
  place: 'bearer',
  clusterId: of.kind === 'cluster' ? of.id : null,
  federationId: of.kind === 'federation' ? of.id : null,
  holder: isWithheld ? 'nobody' : 'user',
  userId,
  rights: namespace === null ? role : `${role} of namespace ${namespace}`,
  validUntil: expiresAt,
})

/** Names of objects in a cluster are its owner's to see. */
const leftEntries = (projectId: string, left: Leftover): Entry[] =>
  left.objects.flatMap((ref): Entry[] => {
    const kind = KINDS[ref.kind]
    if (kind === undefined) return []
    return [
      {
        ...ours,
        id: idOf('left', left.federationId, left.clusterId, describeObject(ref)),
        kind,
        place: 'member',
        clusterId: left.clusterId,
        federationId: left.federationId,
        object: left.projectId === projectId ? describeObject(ref) : null,
        holder: 'federation',
        rights: left.rights,
        isLeftBehind: true,
      },
    ]
  })

type Lent = { isHostLent: boolean; isMemberLent: boolean }

/** In a cluster its owner sees what was made; everywhere else the federation's project does. */
const visible = (refs: readonly ObjectRef[], isOwn: boolean, side: 'host' | 'member', lent: Lent): ObjectRef[] =>
  refs.filter(({ where }) => {
    if (!isOwn) return where === side
    return !(where === 'host' && lent.isHostLent) && !(where === 'member' && lent.isMemberLent)
  })

const ofFederation = (stock: Stock, federation: Federation): Entry[] => {
  const { id: federationId, hostClusterId: clusterId, projectId, hostLoan, made } = federation
  const lent = { isHostLent: hostLoan !== undefined, isMemberLent: false }
  const refs = visible(made, projectId === stock.projectId, 'host', lent)
  return madeEntries(stock, { refs, federation, federationId, clusterId })
}

const ofMembership = (stock: Stock, { made, federationId, clusterId, projectId, loan }: Membership): Entry[] => {
  const federation = stock.federations.get(federationId)
  const lent = { isHostLent: federation?.hostLoan !== undefined, isMemberLent: loan !== undefined }
  const refs = visible(made, projectId === stock.projectId, 'member', lent)
  return madeEntries(stock, { refs, federation, federationId, clusterId, isOfMember: true })
}

/** Tokens of this project's clusters that are sealed in another: the keys are not this project's to read. */
const sealedElsewhere = ({ projectId, memberships }: Stock): CredentialKey[] =>
  memberships
    .filter((it) => it.projectId !== projectId && it.credential !== null)
    .map((it) => ({
      projectId: it.projectId,
      owner: `membership/${it.federationId}/${it.clusterId}`,
      purpose: 'member-token',
    }))

/** What still leads somewhere: the credential of a control plane ends with it. */
const isThere = ({ clusters, federations }: Stock, { of }: IssuedKubeconfig): boolean =>
  of.kind === 'cluster' ? clusters.has(of.id) : federations.has(of.id)

/** Every credential that is known of, in the order of lists. None of them has its content here. */
export const inventoryOf = (stock: Stock): Entry[] =>
  [
    ...[...stock.sealed, ...sealedElsewhere(stock)].flatMap((key) => {
      const found = sealedEntry(stock, key)
      return found === undefined ? [] : [{ ...ours, kind: '', ...found, id: idOf('sealed', key.owner, key.purpose) }]
    }),
    ...[...stock.federations.values()].flatMap((federation) => ofFederation(stock, federation)),
    ...stock.memberships.flatMap((membership) => ofMembership(stock, membership)),
    ...stock.leftovers.flatMap((left) => leftEntries(stock.projectId, left)),
    ...stock.hooks.map(hookEntry),
    ...stock.authorities.map(authorityEntry),
    ...stock.issued.filter((issued) => isThere(stock, issued)).map(issuedEntry),
  ].sort((one, other) => (one.id < other.id ? -1 : 1))
