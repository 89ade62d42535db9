import type { Cluster, ClusterChange, ClusterUse } from '../../core/cluster/cluster.ts'
import type { Status } from '../../core/values/status.ts'
import type { ChangeGuard, ClusterKey, ClusterStore, UsableCluster } from '../cluster.store.ts'
import { ClusterInUse, ClusterNotUsable, ReservationTaken, RevisionConflict } from '../errors.ts'
import type { Page, PageRequest, Scope } from '../page.ts'
import { CLUSTER_FACTS, clusterFacts } from '../sealing/integrity.ts'
import type { Commit } from '../write.ts'
import { findByCloudName, kindSources, locateByName, locateKeys, mergeItems } from './across-projects.ts'
import {
  type Action,
  alreadyExists,
  asWrite,
  boundChange,
  integritySlot,
  revisionConflict,
  type StoredItem,
} from './action.ts'
import { CLUSTER_SCHEMA_VERSION, clusterItem } from './cluster.schema.ts'
import { cloudNamePartition, clusterIndexAttributes, indexChanges, presentOnly } from './index-attributes.ts'
import { parseItem } from './item.schema.ts'
import { CLUSTER_PREFIX, cloudNameKey, clusterKey, projectPartition, uidKey } from './keys.ts'
import { claim, findIdsByName, putName, release, removeName } from './name-index.ts'
import { operationPlaces } from './project-places.ts'
import { getItem, getItems, type Item, queryPage, readPage, takePage } from './read.ts'
import type { StoreContext } from './request.ts'
import { observe, updateExpression } from './updates.ts'

const parse = (item: Item): Cluster => parseItem(clusterItem, item)

/** A federation may start to use a cluster in these (not while it is being made or removed, nor when that failed). */
const USABLE: readonly Status[] = ['CREATE_COMPLETE', 'UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE', 'UPDATE_FAILED']

const insert = (cluster: Cluster): Action[] => [
  {
    type: 'put',
    item: {
      ...clusterKey(cluster),
      schemaVersion: CLUSTER_SCHEMA_VERSION,
      ...cluster,
      uses: cluster.uses.length === 0 ? undefined : new Set(cluster.uses),
      ...presentOnly(clusterIndexAttributes(cluster)),
    },
    condition: 'attribute_not_exists(#pk)',
    onConflict: () => alreadyExists('cluster', cluster.id),
    bound: { projectId: cluster.projectId, facts: clusterFacts(cluster), read: null },
    places: operationPlaces(cluster.projectId, null, cluster.operation),
  },
  putName('CLUSTER', cluster),
]

const inUse = (read: Cluster, uses: readonly string[]): ClusterInUse =>
  new ClusterInUse(`The cluster ${read.id} is host or member of federations; take it out of them first.`, {
    details: {
      id: read.id,
      federations: [...new Set(uses.map((use) => use.slice(use.indexOf(':') + 1).split('@')[0]))].sort(),
    },
  })

/** Uses bump no revision, so a cluster of the revision that was read may have gained some. */
const whyUnchanged = (read: Cluster, stored: StoredItem | undefined) => {
  const uses = stored?.uses?.SS
  return stored?.revision?.N === String(read.revision) && uses !== undefined
    ? inUse(read, uses)
    : revisionConflict('cluster', read.id, read.revision)
}

const rename = (read: Cluster, name: string | undefined): Action[] =>
  name === undefined || name === read.name ? [] : [removeName('CLUSTER', read), putName('CLUSTER', { ...read, name })]

type Guarded = { condition: string; values: Record<string, unknown> }

const guarded = (read: Cluster, { unlessUsed, usesAsRead, lastUse }: ChangeGuard): Guarded => {
  const asRead = '#revision = :read'
  if (lastUse) return { condition: `${asRead} AND #uses = :uses`, values: { ':uses': new Set([lastUse]) } }
  if (unlessUsed || (usesAsRead && read.uses.length === 0)) {
    return { condition: `${asRead} AND attribute_not_exists(#uses)`, values: {} }
  }
  if (usesAsRead) return { condition: `${asRead} AND #uses = :uses`, values: { ':uses': new Set(read.uses) } }
  return { condition: asRead, values: {} }
}

const change = (read: Cluster, fields: ClusterChange, guard: ChangeGuard): Action[] => {
  const bound = boundChange({ factsOf: clusterFacts, fields: CLUSTER_FACTS }, read, fields)
  const { condition, values: guardValues } = guarded(read, guard)
  const index = indexChanges(clusterIndexAttributes({ ...read, ...fields }))
  const { text, values } = updateExpression({
    set: { ...fields, ...integritySlot(bound), revision: read.revision + 1, ...index.set },
    remove: guard.lastUse ? [...index.remove, 'uses', 'told'] : index.remove,
  })
  const update: Action = {
    type: 'update',
    key: clusterKey(read),
    update: text,
    ...bound,
    condition,
    values: { ...values, ...guardValues, ':read': read.revision },
    onConflict: (stored) =>
      guard.unlessUsed ? whyUnchanged(read, stored) : revisionConflict('cluster', read.id, read.revision),
    places: operationPlaces(
      read.projectId,
      read.operation,
      fields.operation === undefined ? read.operation : fields.operation,
    ),
  }
  return [update, ...rename(read, fields.name)]
}

const remove = (read: Cluster): Action[] => [
  {
    type: 'delete',
    key: clusterKey(read),
    condition: '#revision = :read',
    values: { ':read': read.revision },
    onConflict: () => revisionConflict('cluster', read.id, read.revision),
    places: operationPlaces(read.projectId, read.operation, null),
  },
  removeName('CLUSTER', read),
]

/** That it has a role, or has none. A role that was taken away is stored as null. */
const roleCondition = (hasRole: boolean): Guarded =>
  hasRole
    ? { condition: 'attribute_type(#management, :map)', values: { ':map': 'M' } }
    : {
        condition: '(attribute_not_exists(#management) OR attribute_type(#management, :null))',
        values: { ':null': 'NULL' },
      }

const notUsable = (id: string, stored: StoredItem | undefined): ClusterNotUsable =>
  new ClusterNotUsable(
    stored === undefined
      ? `The cluster ${id} is gone.`
      : `The cluster ${id} is ${stored.status?.S}; a federation can use it when it is CREATE_COMPLETE or was updated.`,
    { details: { id, status: stored?.status?.S ?? null } },
  )

const roleChanged = (id: string): RevisionConflict =>
  new RevisionConflict(`The cluster ${id} became a management cluster, or is none any more, since it was read.`, {
    details: { id },
  })

/** Why uses could not be added to a cluster that was read with these. */
const whyNotAdded = (
  { management, id }: UsableCluster,
  { uses, revision }: { uses: readonly ClusterUse[]; revision: number | undefined },
  stored: StoredItem | undefined,
) => {
  const hasRole = (management ?? null) !== null
  if (stored !== undefined && (stored.management?.M !== undefined) !== hasRole) return roleChanged(id)
  const isUsable = USABLE.some((status) => status === stored?.status?.S)
  if (isUsable && revision !== undefined) return revisionConflict('cluster', id, revision)
  return notUsable(id, uses.some((use) => use.includes('@')) ? undefined : stored)
}

const addUses = (read: UsableCluster, uses: readonly ClusterUse[], revision: number | undefined): Action => {
  const { management, ...key } = read
  const { text, values } = updateExpression({ add: { uses } })
  const role = roleCondition((management ?? null) !== null)
  const usable = USABLE.map((status, index): [string, Status] => [`:usable${index}`, status])
  const asRead = revision === undefined ? [] : ['#revision = :read']
  const settled = `#status IN (${usable.map(([placeholder]) => placeholder).join(', ')})`
  return {
    type: 'update',
    key: clusterKey(key),
    update: text,
    condition: ['attribute_exists(#pk)', settled, role.condition, ...asRead].join(' AND '),
    values: {
      ...values,
      ...role.values,
      ...(revision === undefined ? {} : { ':read': revision }),
      ...Object.fromEntries(usable),
    },
    onConflict: (stored) => whyNotAdded(read, { uses, revision }, stored),
  }
}

const removeUses = (key: ClusterKey, uses: readonly ClusterUse[]): Action => {
  const { text, values } = updateExpression({ take: { uses }, remove: ['told'] })
  return {
    type: 'update',
    key: clusterKey(key),
    update: text,
    condition: 'attribute_exists(#pk)',
    values,
    onConflict: () => new ClusterNotUsable(`The cluster ${key.id} is gone.`),
    optional: true,
  }
}

const noteReported = (key: ClusterKey, told: Readonly<Record<string, string>>): Action => {
  const { text, values } = updateExpression({ set: { told } })
  return {
    type: 'update',
    key: clusterKey(key),
    update: text,
    condition: 'attribute_exists(#pk)',
    values,
    onConflict: () => new ClusterNotUsable(`The cluster ${key.id} is gone.`),
    optional: true,
  }
}

const noteCloudName = (cluster: ClusterKey, name: string): Action => ({
  type: 'put',
  item: { ...cloudNameKey(cluster, name), kindPk: cloudNamePartition(name), kindSk: cluster.id },
  onConflict: () => alreadyExists('cluster', cluster.id),
})

const removeCloudName = (cluster: ClusterKey, name: string): Action => ({
  type: 'delete',
  key: cloudNameKey(cluster, name),
  onConflict: () => alreadyExists('cluster', cluster.id),
})

const getCluster = async (context: StoreContext, key: ClusterKey): Promise<Cluster | undefined> => {
  const item = await getItem(context, clusterKey(key))
  return item === undefined ? undefined : parse(item)
}

const locate = async (context: StoreContext, reach: Scope, id: string): Promise<Cluster | undefined> => {
  const own = await getCluster(context, { projectId: reach.projectId, id })
  if (own !== undefined || !reach.allProjects) return own
  const keys = await locateKeys(context, 'CLUSTER', id)
  const [item] = await getItems(context, keys.slice(0, 1).map(clusterKey))
  return item === undefined ? undefined : parse(item)
}

const listWithin = (context: StoreContext, reach: Scope, page: PageRequest): Promise<Page<Cluster>> => {
  const own = { pk: projectPartition(reach.projectId), prefix: CLUSTER_PREFIX, page }
  if (!reach.allProjects) return readPage(context, { ...own, parse })
  const foreign = kindSources(context, 'CLUSTER', { without: reach.projectId, page })
  const items = mergeItems(context, { own: queryPage(context, own), foreign, keyOf: clusterKey, limit: page.limit })
  return takePage(items, page.limit, parse)
}

const uidTaken = (uid: string, owner: string | undefined): ReservationTaken =>
  new ReservationTaken(`The Kubernetes cluster with uid ${uid} is registered in this project already, as ${owner}.`, {
    details: { uid, owner },
  })

/** Clusters in DynamoDB. */
export const dynamoClusterStore = (context: StoreContext, commit: Commit): ClusterStore => ({
  get: (key) => getCluster(context, key),
  getMany: async (projectId, ids) =>
    (
      await getItems(
        context,
        [...new Set(ids)].map((id) => clusterKey({ projectId, id })),
      )
    ).map(parse),
  findByName: (projectId, name) => findIdsByName(context, 'CLUSTER', { projectId, name }),
  list: (projectId, page) =>
    readPage(context, { pk: projectPartition(projectId), prefix: CLUSTER_PREFIX, page, parse }),
  locate: (reach, id) => locate(context, reach, id),
  locateByName: (reach, name) => locateByName(context, 'CLUSTER', { reach, name }),
  listWithin: (reach, page) => listWithin(context, reach, page),
  insert: (cluster) => asWrite(...insert(cluster)),
  change: (read, fields, guard = {}) => asWrite(...change(read, fields, guard)),
  remove: (read) => asWrite(...remove(read)),
  addUses: (cluster, uses, revision) => asWrite(...(uses.length === 0 ? [] : [addUses(cluster, uses, revision)])),
  removeUses: (key, uses) => asWrite(...(uses.length === 0 ? [] : [removeUses(key, uses)])),
  observe: (key, observation, consequence) => observe(commit, clusterKey(key), observation, consequence),
  noteReported: (key, told) => asWrite(noteReported(key, told)),
  findByCloudName: (name) => findByCloudName(context, name),
  noteCloudName: (cluster, name) => asWrite(noteCloudName(cluster, name)),
  removeCloudName: (cluster, name) => asWrite(removeCloudName(cluster, name)),
  claimUid: (projectId, uid, clusterId) =>
    asWrite(claim({ key: uidKey(projectId, uid), owner: clusterId }, (owner) => uidTaken(uid, owner))),
  releaseUid: (projectId, uid, clusterId) => asWrite(release({ key: uidKey(projectId, uid), owner: clusterId })),
})
