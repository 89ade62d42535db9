import type { Cluster, ManagementRole } from '../../../functions/core/cluster/cluster.ts'
import { nodesOf } from '../../../functions/core/cluster/node-group.ts'
import { executionOf, launch } from '../../../functions/core/operation/launch.ts'
import type { ExecutionRef } from '../../../functions/core/operation/operation.ts'
import { newCluster } from './actions.ts'
import type { FlowLab } from './flow-lab.ts'
import { defaultGroups } from './node-groups.ts'

/** What the API does on requests about management clusters and what is made through them. */

const ROLE: ManagementRole = { driver: 'managed@1', options: { infrastructure: 'dev' }, isDefault: false }

const started = async (lab: FlowLab, cluster: Cluster): Promise<{ id: string; ref: ExecutionRef }> => {
  const { projectId, id, operation } = cluster
  if (operation === null) throw new Error('nothing runs on the cluster')
  await launch(lab.ports, { flow: 'cluster-create', projectId, entityId: id, operation })
  return { id, ref: executionOf('cluster-create', operation) }
}

/** Registers a management cluster, of another project than those that are made through it. */
export const registerManagement = async (lab: FlowLab, name: string): Promise<Cluster & { ref: ExecutionRef }> => {
  const { clusters, management, commit } = lab.ports.stores
  const cluster: Cluster = { ...newCluster(lab, name), projectId: 'operators', management: ROLE }
  await commit([clusters.insert(cluster), management.move(cluster, null, ROLE)])
  return { ...cluster, ...(await started(lab, cluster)) }
}

/** Makes a cluster through a management cluster. */
export const createManaged = async (
  lab: FlowLab,
  through: Pick<Cluster, 'projectId' | 'id'>,
  labels: Record<string, string> = {},
): Promise<{ id: string; ref: ExecutionRef }> => {
  const { clusters, nodeGroups, management, commit } = lab.ports.stores
  const { projectId, id } = through
  const cluster: Cluster = {
    ...newCluster(lab, 'made', labels),
    driver: 'managed@1',
    madeThrough: { projectId, id },
  }
  const groups = defaultGroups(cluster, lab.ports.newId)
  await commit([
    clusters.insert({ ...cluster, nodes: nodesOf(groups) }),
    ...groups.map((group) => nodeGroups.insert(group)),
    management.countUse(id, 'managed@1', 1),
  ])
  return started(lab, cluster)
}

/** How many clusters each management cluster counts. */
export const countsOf = async (lab: FlowLab): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await lab.ports.stores.management.list('managed@1')).map(({ id, clusterCount }): [string, number] => [
      id,
      clusterCount,
    ]),
  )
