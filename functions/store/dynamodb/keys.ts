/** Primary key of an item. Layout: `functions/store/README.md`. */
export type ItemKey = { pk: string; sk: string }

/** Kinds of entity with a name index, as they begin their sort keys. */
export type NamedKind = 'CLUSTER' | 'FEDERATION'

/** Everything that belongs to a project shares its partition: tenancy is in the key. */
export const projectPartition = (projectId: string): string => `P#${projectId}`

/** Names and purposes may hold any text; `#` separates the parts of a sort key. */
const part = (text: string): string => text.replaceAll('%', '%25').replaceAll('#', '%23')

const inProject = (projectId: string, sk: string): ItemKey => ({ pk: projectPartition(projectId), sk })

export const CLUSTER_PREFIX = 'CLUSTER#'
export const clusterKey = ({ projectId, id }: { projectId: string; id: string }): ItemKey =>
  inProject(projectId, `${CLUSTER_PREFIX}${id}`)

export const FEDERATION_PREFIX = 'FEDERATION#'
export const federationKey = ({ projectId, id }: { projectId: string; id: string }): ItemKey =>
  inProject(projectId, `${FEDERATION_PREFIX}${id}`)

export const membershipPrefix = (federationId: string): string => `MEMBER#${federationId}#`
export const membershipKey = (key: { projectId: string; federationId: string; clusterId: string }): ItemKey =>
  inProject(key.projectId, `${membershipPrefix(key.federationId)}${key.clusterId}`)

export const namePrefix = (kind: NamedKind, name: string): string => `NAME#${kind}#${part(name)}#`
export const nameKey = (kind: NamedKind, entity: { projectId: string; id: string; name: string }): ItemKey =>
  inProject(entity.projectId, `${namePrefix(kind, entity.name)}${entity.id}`)

export const uidKey = (projectId: string, uid: string): ItemKey => inProject(projectId, `UID#${part(uid)}`)

/** The only partition that no project owns: a host cluster may be registered in several projects. */
export const namespaceKey = (hostUid: string, namespace: string): ItemKey => ({
  pk: `HOST#${hostUid}`,
  sk: `NS#${part(namespace)}`,
})

export const credentialKey = (key: { projectId: string; owner: string; purpose: string }): ItemKey =>
  inProject(key.projectId, `CRED#${part(key.owner)}#${part(key.purpose)}`)

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
  const projectId = pk.slice(projectPartition('').length)
  if (prefix === 'CLUSTER') return { kind: 'cluster', projectId, ids }
  if (prefix === 'FEDERATION') return { kind: 'federation', projectId, ids }
  return prefix === 'MEMBER' ? { kind: 'membership', projectId, ids } : undefined
}
