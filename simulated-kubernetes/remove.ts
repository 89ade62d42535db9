import type { Cluster } from './cluster.ts'
import { parseFields } from './decode.ts'
import { startDeletion } from './deletion.ts'
import { present } from './read.ts'
import { conflict, notFound, uidPreconditionFailed } from './status.ts'
import type { ApiObject, ApiRequest, ApiResponse, ResourceType, Target } from './types.ts'
import { callWebhooks } from './webhooks.ts'

type Preconditions = { uid?: string; resourceVersion?: string }

const check = (type: ResourceType, { metadata }: ApiObject, { uid, resourceVersion }: Preconditions): void => {
  if (uid !== undefined && uid !== metadata.uid) {
    throw uidPreconditionFailed(type.kind, metadata.name, { asked: uid, found: metadata.uid ?? '' })
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(type, metadata.name, 'the resource version in the precondition does not match that of the record')
  }
}

/** Kinds whose DELETE answers with the object, though it is gone; others answer a Status. */
const ANSWERS_OBJECT: ReadonlySet<string> = new Set(['ServiceAccount'])

const gone = (type: ResourceType, object: ApiObject): object => {
  if (!type.custom && ANSWERS_OBJECT.has(type.kind)) return object
  const { name, uid } = object.metadata
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(type.group === '' ? {} : { group: type.group }), kind: type.plural, uid },
  }
}

/** DELETE of one object, with preconditions; it stays, with a deletion time, while finalizers hold it. @throws StatusError 404, 409 */
export const remove = (request: ApiRequest, target: Target, type: ResourceType, cluster: Cluster): ApiResponse => {
  const { name = '', namespace } = target
  const object = cluster.store.get(type, name, namespace)?.object
  if (object === undefined) throw notFound(type, name)
  const { preconditions = {} } = parseFields(request.body, 'application/json', 'DeleteOptions') as {
    preconditions?: Preconditions
  }
  check(type, object, preconditions)
  callWebhooks(cluster, { operation: 'DELETE', type, target, before: object })
  const stays = request.query.get('dryRun') === 'All' ? object : startDeletion(cluster, type, object)
  return { status: 200, body: stays === undefined ? gone(type, object) : present(type, stays) }
}
