import type { Json, JsonObject } from '../../core/values/json.ts'

const isObject = (item: Json): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item)

/** openstacksdk calls our `uuid` `id`, and takes that for a change. */
const isSdkMark = (item: Json): boolean =>
  isObject(item) && Object.keys(item).length === 3 && item.op === 'move' && item.from === '/uuid' && item.path === '/id'

/**
 * What openstacksdk means by a patch of an entity that it knows by uuid or name only (`update_cluster("paris", node_count=3)`): it moves `/uuid` to
 * `/id`, and adds attributes, since it has not seen those that are there. Other patches come back as they are. Observed of openstacksdk 4.22.0.
 */
export const withoutSdkMark = (body: readonly Json[]): readonly Json[] => {
  if (!body.some(isSdkMark)) return body
  return body
    .filter((item) => !isSdkMark(item))
    .map((item) => (isObject(item) && item.op === 'add' ? { ...item, op: 'replace' } : item))
}
