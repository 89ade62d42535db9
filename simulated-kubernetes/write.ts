import { APPLY_PATCH, apply } from './apply.ts'
import { decodeObject, dropUnknown, mediaType, parseFields, toObject } from './decode.ts'
import { managerKey, updateOwnership } from './field-ownership.ts'
import { type Fields, mergePatch } from './objects.ts'
import { find, insert, managerOf, ownable, replace, type Write } from './persist.ts'
import { present } from './read.ts'
import { unsupportedMediaType } from './status.ts'
import type { Ownership } from './store.ts'
import type { ApiObject, ApiResponse } from './types.ts'

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
