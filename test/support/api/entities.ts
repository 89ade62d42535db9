import type { Cluster, ClusterChange } from '../../../functions/domain/cluster.ts'
import { CONTROL_PLANE_READY, type Federation, type FederationUpdate } from '../../../functions/domain/federation.ts'
import type { Membership } from '../../../functions/domain/membership.ts'
import type { Principal } from '../../../functions/domain/principal.ts'
import type { ApiLab } from './lab.ts'
import { ALICE } from './request.ts'

/** What flows would write, written at once: the API's tests need entities in every state. */

const inProject = (as: Principal | undefined): string => (as ?? ALICE).projectId

export const readCluster = async (lab: ApiLab, id: string, as?: Principal): Promise<Cluster> => {
  const cluster = await lab.stores.clusters.get({ projectId: inProject(as), id })
  if (cluster === undefined) throw new Error(`there is no cluster ${id}`)
  return cluster
}

export const changeCluster = async (lab: ApiLab, id: string, change: ClusterChange, as?: Principal): Promise<void> =>
  lab.stores.commit([lab.stores.clusters.change(await readCluster(lab, id, as), change)])

/** A cluster of `memory@1`, created through the API and brought to a status. */
export const givenCluster = async (
  lab: ApiLab,
  { name, status = 'CREATE_COMPLETE', as = ALICE }: { name?: string; status?: Cluster['status']; as?: Principal } = {},
): Promise<string> => {
  const { body } = await lab.call('POST', '/v1/clusters', { as, body: { driver: 'memory@1', name } })
  await changeCluster(lab, body.uuid, { status, operation: status.endsWith('_IN_PROGRESS') ? undefinedToNull() : null }, as)
  return body.uuid
}
