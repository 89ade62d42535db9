import { declared, decodeObject, dropUnknown, mediaType, parseFields, toObject } from './decode.ts'
import { applyFields, managerKey, updateOwnership } from './field-ownership.ts'
import { type Fields, isFields, mergePatch, without } from './objects.ts'
import { find, insert, managerOf, ownable, replace, type Write } from './persist.ts'
import { present } from './read.ts'
import { badRequest, invalid, unsupportedMediaType } from './status.ts'
import type { Ownership } from './store.ts'
import type { ApiObject, ApiResponse, Metadata } from './types.ts'

const APPLY_PATCH = 'application/apply-patch+yaml'

const appliedObject = ({ request, type, target }: Write): ApiObject => {
  const fields = parseFields(request.body, APPLY_PATCH, type.kind)
  if (fields.kind === undefined || fields.apiVersion === undefined) {
    throw badRequest(`invalid object type: ${String(fields.apiVersion ?? '/')}, Kind=${String(fields.kind ?? '')}`)
  }
  const object = toObject(declared(fields, type), type, target)
  if (target.subresource !== 'status') return (type.statusSubresource ? without(object, 'status') : object) as ApiObject
  const { apiVersion, kind, metadata, status } = object
  const { labels: _labels, annotations: _annotations, finalizers: _finalizers, ...identity } = metadata
  return { apiVersion, kind, metadata: identity, ...(status === undefined ? {} : { status }) }
}

/**
 * PATCH with `application/apply-patch+yaml`: makes the object, or takes the manager's fields into it.
 *
 * @throws StatusError 400, 403, 404, 409, 422, 500
 */
const apply = (write: Write): ApiResponse => {
  const { request, type, target, cluster } = write
  const fieldManager = request.query.get('fieldManager')
  if (!fieldManager) {
    const message = 'Required value: is required for apply patch'
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
      { field: 'fieldManager', reason: 'FieldValueRequired', message },
    ])
  }
  const applied = appliedObject(write)
  const manager = managerKey(fieldManager, 'Apply', target.subresource)
  const force = request.query.get('force') === 'true'
  const merged = (live: ApiObject | undefined, ownership: Ownership) =>
    applyFields({
      live: live === undefined ? {} : ownable(live),
      applied: ownable(applied),
      ownership,
      schema: type.schema,
      manager,
      force,
    })
  const isThere = cluster.store.get(type, target.name ?? '', target.namespace) !== undefined
  if (!isThere && target.subresource === undefined) {
    const made = insert(write, applied, () => merged(undefined, new Map()).ownership)
    return { status: 201, body: present(type, made) }
  }
  const { current, ownership } = find(write)
  const result = merged(current, ownership)
  const next = reattach(result.object, current, applied)
  const saved = replace(write, { current, next, ownershipOf: () => result.ownership })
  return { status: 200, body: present(type, saved) }
}

/** The merged fields, with identity and what the system set. A `resourceVersion` or `uid` that was applied is a precondition. */
const reattach = (fields: Fields, current: ApiObject, applied: ApiObject): ApiObject => {
  const owned = isFields(fields.metadata) ? fields.metadata : {}
  const { uid, resourceVersion } = applied.metadata
  const bare = without(current.metadata, 'labels', 'annotations', 'finalizers', 'ownerReferences')
  const preconditions = Object.entries({ uid, resourceVersion }).filter(([, value]) => value !== undefined)
  return {
    ...fields,
    apiVersion: current.apiVersion,
    kind: current.kind,
    metadata: { ...bare, ...owned, ...Object.fromEntries(preconditions) } as Metadata,
  }
}

const MERGE_PATCH = 'application/merge-patch+json'

/** POST of a collection. @throws StatusError 400, 403, 404, 409, 415, 422 */
export const create = (write: Write): ApiResponse => {
  const object = decodeObject(write.request, write.type, write.target)
  const manager = managerKey(managerOf(write), 'Update')
  const made = insert(write, object, (admitted) =>
    updateOwnership({ before: {}, after: ownable(admitted), schema: write.type.schema, manager }, new Map()),
  )
  return { status: 201, body: present(write.type, made) }
}

const change = (write: Write, nextOf: (current: ApiObject) => ApiObject): ApiResponse => {
  const { type, target } = write
  const { current, ownership } = find(write)
  const manager = managerKey(managerOf(write), 'Update', target.subresource)
  const ownershipOf = (after: ApiObject): Ownership =>
    updateOwnership({ before: ownable(current), after: ownable(after), schema: type.schema, manager }, ownership)
  const saved = replace(write, { current, next: nextOf(current), ownershipOf })
  return { status: 200, body: present(type, saved) }
}

/** PUT of an object or its status. @throws StatusError 400, 404, 409, 415, 422 */
export const update = (write: Write): ApiResponse => {
  const object = decodeObject(write.request, write.type, write.target)
  return change(write, () => object)
}

/** PUT of a namespace's `/finalize`: the finalizers of its spec, and nothing else. @throws StatusError 400, 404, 409, 415 */
export const finalize = (write: Write): ApiResponse => update(write)

const patchObject = (write: Write): ApiResponse => {
  const { request, type, target } = write
  const patch = parseFields(request.body, MERGE_PATCH, type.kind)
  return change(write, (current) =>
    toObject(dropUnknown(mergePatch(current, patch) as Fields, type, request.query), type, target),
  )
}

/** PATCH: JSON merge patch, or server-side apply. @throws StatusError 400, 403, 404, 409, 415, 422 */
export const patch = (write: Write): ApiResponse => {
  const contentType = mediaType(write.request.contentType)
  if (contentType === APPLY_PATCH) return apply(write)
  if (contentType === MERGE_PATCH) return patchObject(write)
  throw unsupportedMediaType([MERGE_PATCH, APPLY_PATCH])
}
