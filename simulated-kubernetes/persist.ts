import { randomBytes, randomUUID } from 'node:crypto'
import { admit, checkDefinition, checkNamespace, requireNamespace } from './admission.ts'
import type { Cluster } from './cluster.ts'
import { finishDeletion } from './deletion.ts'
import { type Fields, isEqual, isFields, without } from './objects.ts'
import { checkPolicies } from './policies.ts'
import { present } from './read.ts'
import { alreadyExists, badRequest, conflict, invalid, notFound } from './status.ts'
import type { Ownership, Stored } from './store.ts'
import type { ApiObject, ApiRequest, Metadata, ResourceType, Target } from './types.ts'
import { type Admission, callWebhooks } from './webhooks.ts'

/** One write under way. */
export type Write = { request: ApiRequest; target: Target; type: ResourceType; cluster: Cluster }

/** The fields that have owners: not identity, not what the system sets. */
export const ownable = (object: Fields): Fields => {
  const metadata = isFields(object.metadata) ? object.metadata : {}
  const { labels, annotations, finalizers, ownerReferences } = metadata
  const owned = Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    ...without(object, 'apiVersion', 'kind', 'metadata'),
    ...(owned.length > 0 ? { metadata: Object.fromEntries(owned) } : {}),
  }
}

const SYSTEM_FIELDS = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
]

const isDryRun = ({ request }: Write): boolean => request.query.get('dryRun') === 'All'

/** Field manager of a request: the one it names, else the first part of its User-Agent. */
export const managerOf = ({ request }: Write): string =>
  request.query.get('fieldManager') || (request.userAgent.split('/')[0] ?? '') || 'unknown'

const save = (write: Write, stored: Stored): ApiObject =>
  isDryRun(write) ? stored.object : write.cluster.store.put(write.type, stored)

const named = (metadata: Metadata, kind: { group: string; kind: string }): Metadata => {
  if (metadata.name !== '') return metadata
  if (metadata.generateName)
    return { ...metadata, name: `${metadata.generateName}${randomBytes(3).toString('hex').slice(0, 5)}` }
  const message = 'Required value: name or generateName is required'
  throw invalid(kind, '', [{ field: 'metadata.name', reason: 'FieldValueRequired', message }])
}

/** Webhooks, then policies, as the real server. @throws StatusError 403, 500 */
const askAdmission = (cluster: Cluster, admission: Admission): void => {
  callWebhooks(cluster, admission)
  checkPolicies(cluster, admission)
}

/** Stores a new object. @throws StatusError 400, 403, 404, 409, 422 */
export const insert = (write: Write, object: ApiObject, ownershipOf: (admitted: ApiObject) => Ownership): ApiObject => {
  const { type, cluster } = write
  if (object.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created')
  const metadata = named(without(object.metadata, ...SYSTEM_FIELDS) as Metadata, type)
  const fresh = { ...(type.statusSubresource ? without(object, 'status') : object), metadata } as ApiObject
  checkNamespace(cluster, type, fresh)
  checkDefinition(cluster, type, fresh)
  const admitted = admit(cluster, type, fresh, { isDryRun: isDryRun(write) })
  if (cluster.store.get(type, metadata.name, metadata.namespace)) throw alreadyExists(type, metadata.name)
  const { target } = write
  askAdmission(cluster, { operation: 'CREATE', type, target, object: admitted })
  const object0 = {
    ...admitted,
    metadata: {
      ...admitted.metadata,
      uid: randomUUID(),
      creationTimestamp: cluster.timestamp(),
      ...(type.counted ? { generation: 1 } : {}),
    },
  }
  return save(write, { object: object0, ownership: ownershipOf(object0) })
}

const checkVersion = (type: ResourceType, { metadata }: ApiObject, current: ApiObject): void => {
  const { name, uid, resourceVersion } = metadata
  if (uid && uid !== current.metadata.uid) {
    throw conflict(
      type,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`,
    )
  }
  if (resourceVersion && resourceVersion !== current.metadata.resourceVersion) {
    throw conflict(
      type,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    )
  }
}

const withSystemFields = (object: ApiObject, { metadata }: ApiObject): ApiObject => {
  const system = Object.entries(metadata).filter(([key]) => SYSTEM_FIELDS.includes(key))
  return {
    ...object,
    metadata: { ...(without(object.metadata, ...SYSTEM_FIELDS) as Metadata), ...Object.fromEntries(system) },
  }
}

/** Without the list when nothing is in it, as Go writes it. */
const finalizedSpec = ({ spec }: ApiObject): Fields => {
  const { finalizers = [] } = isFields(spec) ? (spec as { finalizers?: string[] }) : {}
  return finalizers.length === 0 ? {} : { finalizers }
}

/** Which part of an object a request may change: `/status` its status, the object itself all but that. */
const scoped = ({ type, target }: Write, next: ApiObject, current: ApiObject): ApiObject => {
  const withStatus = (object: ApiObject, status: unknown): ApiObject =>
    (status === undefined ? without(object, 'status') : { ...object, status }) as ApiObject
  if (target.subresource === 'status') return withStatus(current, next.status)
  if (target.subresource === 'finalize') return { ...current, spec: finalizedSpec(next) }
  const kept = type.statusSubresource ? withStatus(next, current.status) : next
  return type.kind === 'Namespace' && !type.custom ? { ...kept, spec: current.spec } : kept
}

const desired = (object: ApiObject): Fields => without(object, 'metadata', 'status')

const withGeneration = (next: ApiObject, current: ApiObject): ApiObject => {
  const { generation } = current.metadata
  if (generation === undefined || isEqual(desired(next), desired(current))) return next
  return { ...next, metadata: { ...next.metadata, generation: generation + 1 } }
}

type Change = { current: ApiObject; next: ApiObject; ownershipOf: (after: ApiObject) => Ownership }

/** Stores a changed object; an unchanged one keeps its resource version. @throws StatusError 409, 422 */
export const replace = (write: Write, { current, next, ownershipOf }: Change): ApiObject => {
  const { type, cluster } = write
  requireNamespace(cluster, current)
  checkVersion(type, next, current)
  const settled = withSystemFields(scoped(write, next, current), current)
  const admitted = withGeneration(
    admit(cluster, type, settled, { before: current, isDryRun: isDryRun(write) }),
    current,
  )
  if (isEqual(admitted, current)) {
    if (!isDryRun(write)) rememberOwnership(write, ownershipOf(admitted))
    return current
  }
  askAdmission(cluster, { operation: 'UPDATE', type, target: write.target, object: admitted, before: current })
  const saved = save(write, { object: admitted, ownership: ownershipOf(admitted) })
  if (!isDryRun(write)) finishDeletion(cluster, type, saved)
  return saved
}

/** Ownership may change though the object does not: then without a new resource version. */
const rememberOwnership = ({ type, target, cluster }: Write, ownership: Ownership): void => {
  const stored = cluster.store.get(type, target.name ?? '', target.namespace)
  if (stored !== undefined) stored.ownership = ownership
}

/** The object as the asked version shows it, and its owners. @throws StatusError 404 */
export const find = ({ type, target, cluster }: Write): { current: ApiObject; ownership: Ownership } => {
  const stored = cluster.store.get(type, target.name ?? '', target.namespace)
  if (stored === undefined) throw notFound(type, target.name ?? '')
  return { current: present(type, stored.object), ownership: stored.ownership }
}
