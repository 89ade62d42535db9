import { type ClusterTemplate, isPublished } from '../../core/cluster/cluster-template.ts'
import type { PageRequest } from '../page.ts'
import type { EntityKey } from './across-projects.ts'
import { type Action, alreadyExists } from './action.ts'
import { publicPointer } from './cluster-template.schema.ts'
import { parseItem } from './item.schema.ts'
import { namePrefix, PUBLIC_PARTITION, publicNameKey, publicTemplateKey, TEMPLATE_PREFIX } from './keys.ts'
import { NAME_MAX } from './name-index.ts'
import { getItem, type Item, queryPage, queryPrefix, toArray } from './read.ts'
import type { StoreContext } from './request.ts'

const idTaken = (id: string) => () => alreadyExists('cluster template', id)

/** No other project has published a template with this id. */
const FREE = 'attribute_not_exists(#pk)'

const putPointer = ({ id, projectId }: ClusterTemplate): Action => ({
  type: 'put',
  item: { ...publicTemplateKey(id), projectId },
  condition: FREE,
  onConflict: idTaken(id),
})

const removePointer = ({ id }: ClusterTemplate): Action => ({
  type: 'delete',
  key: publicTemplateKey(id),
  onConflict: idTaken(id),
})

const putPublicName = ({ id, name, projectId }: ClusterTemplate): Action[] =>
  name === null ? [] : [{ type: 'put', item: { ...publicNameKey(id, name), projectId }, onConflict: idTaken(id) }]

const removePublicName = ({ id, name }: ClusterTemplate): Action[] =>
  name === null ? [] : [{ type: 'delete', key: publicNameKey(id, name), onConflict: idTaken(id) }]

/** The pointers of a new template; an id that is published elsewhere is refused also to one that is not. */
export const publishNew = (template: ClusterTemplate): Action[] =>
  isPublished(template)
    ? [putPointer(template), ...putPublicName(template)]
    : [{ type: 'check', key: publicTemplateKey(template.id), condition: FREE, onConflict: idTaken(template.id) }]

/** Keeps the pointers in step with a template that changes from `read` to `next`. */
export const republish = (read: ClusterTemplate, next: ClusterTemplate): Action[] => {
  const [was, is] = [isPublished(read), isPublished(next)]
  if (was && is) return read.name === next.name ? [] : [...removePublicName(read), ...putPublicName(next)]
  if (is) return publishNew(next)
  return was ? withdraw(read) : []
}

/** Takes the pointers away. */
export const withdraw = (template: ClusterTemplate): Action[] =>
  isPublished(template) ? [removePointer(template), ...removePublicName(template)] : []

const keyOf = (pointer: Item): EntityKey => {
  const { sk, projectId } = parseItem(publicPointer, pointer)
  return { projectId, id: sk.slice(sk.lastIndexOf('#') + 1) }
}

/** Who has published the template with this id. Strongly consistent, as all of these. */
export const findPublished = async (context: StoreContext, id: string): Promise<EntityKey | undefined> => {
  const pointer = await getItem(context, publicTemplateKey(id))
  return pointer === undefined ? undefined : keyOf(pointer)
}

async function* keysOf(pointers: AsyncIterable<Item>, without: string): AsyncGenerator<EntityKey> {
  for await (const pointer of pointers) {
    const key = keyOf(pointer)
    if (key.projectId !== without) yield key
  }
}

/** Published templates with this name in projects other than `without`, oldest first. */
export const findPublishedByName = async (
  context: StoreContext,
  { without, name }: { without: string; name: string },
): Promise<EntityKey[]> => {
  if (name.length > NAME_MAX) return []
  const pointers = queryPrefix(context, { pk: PUBLIC_PARTITION, prefix: namePrefix('TEMPLATE', name) })
  return toArray(keysOf(pointers, without))
}

/** Published templates in projects other than `without`, rising by id after the marker. */
export const publishedKeys = (
  context: StoreContext,
  { without, page }: { without: string; page: PageRequest },
): AsyncIterable<EntityKey> =>
  keysOf(queryPage(context, { pk: PUBLIC_PARTITION, prefix: TEMPLATE_PREFIX, page }), without)
