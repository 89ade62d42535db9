import { type ClusterTemplate, type ClusterTemplateChange, isPublished } from '../../core/cluster/cluster-template.ts'
import type { ClusterTemplateKey, ClusterTemplateStore } from '../cluster-template.store.ts'
import { TemplateGone, TemplateInUse } from '../errors.ts'
import type { Page, PageRequest, Scope } from '../page.ts'
import { kindSources, locateByName, locateKeys, mergeItems } from './across-projects.ts'
import { type Action, alreadyExists, asWrite, revisionConflict, type StoredItem } from './action.ts'
import { CLUSTER_TEMPLATE_SCHEMA_VERSION, clusterTemplateItem } from './cluster-template.schema.ts'
import { presentOnly, templateIndexAttributes } from './index-attributes.ts'
import { parseItem } from './item.schema.ts'
import { projectPartition, TEMPLATE_PREFIX, templateIdKey, templateKey } from './keys.ts'
import { claim, putName, type Reservation, release, removeName } from './name-index.ts'
import { getItem, getItems, type Item, queryPage, takePage } from './read.ts'
import type { StoreContext } from './request.ts'
import {
  findPublished,
  findPublishedByName,
  publishedKeys,
  publishNew,
  republish,
  withdraw,
} from './template-publication.ts'
import { updateExpression } from './updates.ts'

const parse = (item: Item): ClusterTemplate => parseItem(clusterTemplateItem, item)

/** A template may have no name: it has no name index then. */
const indexName = (template: ClusterTemplate, action: typeof putName): Action[] =>
  template.name === null ? [] : [action('TEMPLATE', { ...template, name: template.name })]

/** The id is the template's in all projects. Templates of before this rule get it with their next change, unless it is another's. */
const idOf = ({ id, projectId }: ClusterTemplate): Reservation => ({ key: templateIdKey(id), owner: projectId })

const idTaken = ({ id }: ClusterTemplate) => alreadyExists('cluster template', id)

const insert = (template: ClusterTemplate): Action[] => [
  {
    type: 'put',
    item: {
      ...templateKey(template),
      schemaVersion: CLUSTER_TEMPLATE_SCHEMA_VERSION,
      ...template,
      ...presentOnly(templateIndexAttributes(template)),
    },
    condition: 'attribute_not_exists(#pk)',
    onConflict: () => idTaken(template),
    places: [{ of: 'templates', projectId: template.projectId, by: 1 }],
  },
  claim(idOf(template), () => idTaken(template)),
  ...indexName(template, putName),
  ...publishNew(template),
]

/** Use bumps no revision, so a template of the revision that was read may have gained some. */
const whyUnchanged = (read: ClusterTemplate) => (stored: StoredItem | undefined) => {
  const clusterCount = Number(stored?.clusterCount?.N ?? 0)
  return stored?.revision?.N === String(read.revision) && clusterCount > 0
    ? new TemplateInUse(
        `The cluster template ${read.id} is used by ${clusterCount} cluster${clusterCount === 1 ? '' : 's'}; ` +
          'delete them first, or make another template.',
        { details: { id: read.id, clusterCount } },
      )
    : revisionConflict('cluster template', read.id, read.revision)
}

/** What must hold of the template as it was read, beside that it is the same. */
const asRead = (read: ClusterTemplate, unlessUsed: boolean) => ({
  condition: unlessUsed ? '#revision = :read AND #clusterCount = :unused' : '#revision = :read',
  values: { ':read': read.revision, ...(unlessUsed ? { ':unused': 0 } : {}) },
  onConflict: whyUnchanged(read),
})

const change = (read: ClusterTemplate, fields: ClusterTemplateChange, unlessUsed: boolean): Action[] => {
  const next = { ...read, ...fields }
  const { text, values } = updateExpression({ set: { ...fields, revision: read.revision + 1 } })
  const guard = asRead(read, unlessUsed)
  return [
    {
      type: 'update',
      key: templateKey(read),
      update: text,
      ...guard,
      values: { ...values, ...guard.values },
    },
    { ...claim(idOf(read), () => idTaken(read)), optional: true },
    ...(next.name === read.name ? [] : [...indexName(read, removeName), ...indexName(next, putName)]),
    ...republish(read, next),
  ]
}

const remove = (read: ClusterTemplate): Action[] => [
  {
    type: 'delete',
    key: templateKey(read),
    ...asRead(read, true),
    places: [{ of: 'templates', projectId: read.projectId, by: -1 }],
  },
  release(idOf(read)),
  ...indexName(read, removeName),
  ...withdraw(read),
]

const gone =
  ({ id }: ClusterTemplateKey) =>
  () =>
    new TemplateGone(`The cluster template ${id} was removed meanwhile; choose another.`, { details: { id } })

const countUse = (key: ClusterTemplateKey, by: 1 | -1): Action => ({
  type: 'update',
  key: templateKey(key),
  update: 'ADD #clusterCount :by',
  condition: by === 1 ? 'attribute_exists(#pk)' : 'attribute_exists(#pk) AND #clusterCount > :none',
  values: { ':by': by, ...(by === 1 ? {} : { ':none': 0 }) },
  onConflict: gone(key),
  ...(by === 1 ? {} : { optional: true as const }),
})

const get = async (context: StoreContext, key: ClusterTemplateKey): Promise<ClusterTemplate | undefined> => {
  const item = await getItem(context, templateKey(key))
  return item === undefined ? undefined : parse(item)
}

/** May be seen by the project: its own, or published at this moment. */
const isVisible = ({ projectId, allProjects }: Scope, template: ClusterTemplate): boolean =>
  allProjects || template.projectId === projectId || isPublished(template)

const locate = async (context: StoreContext, reach: Scope, id: string): Promise<ClusterTemplate | undefined> => {
  const [own, published] = await Promise.all([
    get(context, { projectId: reach.projectId, id }),
    findPublished(context, id),
  ])
  if (own !== undefined) return own
  const keys = published === undefined && reach.allProjects ? await locateKeys(context, 'TEMPLATE', id) : []
  const [item] = await getItems(
    context,
    [published, ...keys]
      .flatMap((key) => key ?? [])
      .slice(0, 1)
      .map(templateKey),
  )
  const template = item === undefined ? undefined : parse(item)
  return template !== undefined && isVisible(reach, template) ? template : undefined
}

/** Own ones, then others', the published of which are known at once. */
const locateAllByName = async (context: StoreContext, reach: Scope, name: string): Promise<ClusterTemplateKey[]> => {
  const [found, published] = await Promise.all([
    locateByName(context, 'TEMPLATE', { reach, name }),
    findPublishedByName(context, { without: reach.projectId, name }),
  ])
  const own = found.filter(({ projectId }) => projectId === reach.projectId)
  const foreign = new Map([...found.slice(own.length), ...published].map((key) => [`${key.id}#${key.projectId}`, key]))
  return [...own, ...[...foreign].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)]
}

const listWithin = (context: StoreContext, reach: Scope, page: PageRequest): Promise<Page<ClusterTemplate>> => {
  const others = { without: reach.projectId, page }
  const items = mergeItems(context, {
    own: queryPage(context, { pk: projectPartition(reach.projectId), prefix: TEMPLATE_PREFIX, page }),
    foreign: [publishedKeys(context, others), ...(reach.allProjects ? kindSources(context, 'TEMPLATE', others) : [])],
    keyOf: templateKey,
    limit: page.limit,
  })
  return takePage(items, page.limit, (item) => {
    const template = parse(item)
    return isVisible(reach, template) ? template : undefined
  })
}

/** Cluster templates in DynamoDB. */
export const dynamoClusterTemplateStore = (context: StoreContext): ClusterTemplateStore => ({
  get: (key) => get(context, key),
  locate: (reach, id) => locate(context, reach, id),
  locateByName: (reach, name) => locateAllByName(context, reach, name),
  listWithin: (reach, page) => listWithin(context, reach, page),
  insert: (template) => asWrite(...insert(template)),
  change: (read, fields, options) => asWrite(...change(read, fields, options?.unlessUsed ?? false)),
  remove: (read) => asWrite(...remove(read)),
  countUse: (key, by) => asWrite(countUse(key, by)),
})
