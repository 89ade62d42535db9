import { notFound } from '../errors.ts'
import { isUuid, looksLikeUuid } from '../values/ids.ts'
import type { NodeGroup } from './node-group.ts'

/**
 * A node group by UUID or name among those of a cluster, which have different names. Text that looks like a UUID is only an id, as
 * everywhere (magnum-rest.md section 2).
 *
 * @throws ObjectNotVisible
 */
export const findNodeGroup = (groups: readonly NodeGroup[], ident: string): NodeGroup => {
  const found = groups.find(({ id, name }) => (looksLikeUuid(ident) ? isUuid(ident) && id === ident : name === ident))
  if (found === undefined) throw notFound('NodeGroup', ident)
  return found
}
