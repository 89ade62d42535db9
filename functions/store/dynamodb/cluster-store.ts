import type { Cluster, ClusterChange, ClusterUse } from '../../domain/cluster.ts'
import type { Status } from '../../domain/status.ts'
import type { ClusterKey, ClusterStore } from '../cluster.store.ts'
import { ClusterInUse, ClusterNotUsable, ReservationTaken } from '../errors.ts'
import type { Page, PageRequest } from '../page.ts'
import type { Reach } from '../reach.ts'
import type { Commit } from '../write.ts'
import { kindSources, locateByName, locateKeys } from './across-projects.ts'
import { type Action, asWrite, type StoredItem } from './action.ts'
import { CLUSTER_SCHEMA_VERSION, clusterItem } from './cluster.schema.ts'
import { alreadyExists, revisionConflict } from './conflicts.ts'
import { clusterIndexAttributes, indexChanges, presentOnly } from './index-attributes.ts'
import { CLUSTER_PREFIX, clusterKey, projectPartition, uidKey } from './keys.ts'
import { mergeItems } from './merge-items.ts'
import { findIdsByName, putName, removeName } from './name-index.ts'
import { observe } from './observe.ts'
import { parseItem } from './parse-item.ts'
import { operationPlace } from './project-places.ts'
import { getItem, getItems, type Item, queryPage, readPage, takePage } from './read.ts'
import { claim, release } from './reservation.ts'
import type { StoreContext } from './store-context.ts'
import { updateExpression } from './update-expression.ts'

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
    ...operationPlace(cluster.projectId, null, cluster.operation),
  },
  putName('CLUSTER', cluster),
]

const inUse = (read: Cluster, uses: readonly string[]): ClusterInUse =>
  new ClusterInUse(`The cluster ${read.id} is host or member of federations; take it out of them first.`, {
    details: { id: read.id, federations: [...new Set(uses.map((use) => use.slice(use.indexOf(':') + 1)))].sort() },
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

const change = (read: Cluster, fields: ClusterChange, unlessUsed: boolean): Action[] => {
  const index = indexChanges(clusterIndexAttributes({ ...read, ...fields }))
  const { text, values } = updateExpression({
    set: { ...fields, revision: read.revision + 1, ...index.set },
    remove: index.remove,
  })
  const update: Action = {
    type: 'update',
    key: clusterKey(read),
    update: text,
    condition: unlessUsed ? '#revision = :read AND attribute_not_exists(#uses)' : '#revision = :read',
    values: { ...values, ':read': read.revision },
    onConflict: (stored) =>
      unlessUsed ? whyUnchanged(read, stored) : revisionConflict('cluster', read.id, read.revision),
    ...operationPlace(
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
    ...operationPlace(read.projectId, read.operation, null),
  },
  removeName('CLUSTER', read),
]

const addUses = (key: ClusterKey, uses: readonly ClusterUse[]): Action => {
  const { text, values } = updateExpression({ add: { uses } })
  const usable = USABLE.map((status, index): [string, Status] => [`:usable${index}`, status])
  return {
    type: 'update',
    key: clusterKey(key),
    update: text,
    condition: `attribute_exists(#pk) AND #status IN (${usable.map(([placeholder]) => placeholder).join(', ')})`,
    values: { ...values, ...Object.fromEntries(usable) },
    onConflict: (stored) =>
      new ClusterNotUsable(
        stored === undefined
          ? `The cluster ${key.id} is gone.`
          : `The cluster ${key.id} is ${stored.status?.S}; a federation can use it when it is CREATE_COMPLETE or was updated.`,
        { details: { id: key.id, status: stored?.status?.S ?? null } },
      ),
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

const noteTold = (key: ClusterKey, told: Readonly<Record<string, string>>): Action => {
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

const getCluster = async (context: StoreContext, key: ClusterKey): Promise<Cluster | undefined> => {
  const item = await getItem(context, clusterKey(key))
  return item === undefined ? undefined : parse(item)
}

const locate = async (context: StoreContext, reach: Reach, id: string): Promise<Cluster | undefined> => {
  const own = await getCluster(context, { projectId: reach.projectId, id })
  if (own !== undefined || !reach.allProjects) return own
  const keys = await locateKeys(context, 'CLUSTER', id)
  const [item] = await getItems(context, keys.slice(0, 1).map(clusterKey))
  return item === undefined ? undefined : parse(item)
}

const listWithin = (context: StoreContext, reach: Reach, page: PageRequest): Promise<Page<Cluster>> => {
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
  change: (read, fields, options) => asWrite(...change(read, fields, options?.unlessUsed ?? false)),
  remove: (read) => asWrite(...remove(read)),
  addUses: (key, uses) => asWrite(...(uses.length === 0 ? [] : [addUses(key, uses)])),
  removeUses: (key, uses) => asWrite(...(uses.length === 0 ? [] : [removeUses(key, uses)])),
  observe: (key, observation) => observe(commit, clusterKey(key), observation),
  noteTold: (key, told) => asWrite(noteTold(key, told)),
  claimUid: (projectId, uid, clusterId) =>
    asWrite(claim({ key: uidKey(projectId, uid), owner: clusterId }, (owner) => uidTaken(uid, owner))),
  releaseUid: (projectId, uid, clusterId) => asWrite(release({ key: uidKey(projectId, uid), owner: clusterId })),
})
