import type { Cluster, ManagementRole } from '../../../functions/core/cluster/cluster.ts'
import type { ExecutionRef } from '../../../functions/core/operation/operation.ts'
import { createCluster } from './actions.ts'
import type { FlowLab } from './flow-lab.ts'

/** Management clusters, and what is made through them. */

const ROLE: ManagementRole = { driver: 'managed@1', options: { infrastructure: 'dev' }, isDefault: false }

/** Registers a management cluster, of another project than those that are made through it. */
export const registerManagement = async (lab: FlowLab, name: string): Promise<Cluster & { ref: ExecutionRef }> => {
  const projectId = 'operators'
  const { id, ref } = await createCluster(lab, name, { projectId, management: ROLE })
  const cluster = await lab.ports.stores.clusters.get({ projectId, id })
  if (cluster === undefined) throw new Error(`there is no cluster ${id}`)
  return { ...cluster, ref }
}

/** Makes a cluster through a management cluster. */
export const createManaged = (
  lab: FlowLab,
  through: Pick<Cluster, 'id'>,
  labels: Record<string, string> = {},
): Promise<{ id: string; ref: ExecutionRef }> =>
  createCluster(lab, 'made', { driver: 'managed@1', labels: { ...labels, management_cluster: through.id } })

/** How many clusters each management cluster counts. */
export const countsOf = async (lab: FlowLab): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await lab.ports.stores.management.list('managed@1')).map(({ id, clusterCount }): [string, number] => [
      id,
      clusterCount,
    ]),
  )
