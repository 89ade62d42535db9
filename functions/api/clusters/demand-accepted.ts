import { plannedManagement } from '../../core/cluster/management.ts'
import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import type { KeysRequest } from '../route.ts'
import { askPreview } from './ask-preview.ts'
import { demandLabelsFitAfter } from './demand-labels-fit.ts'
import { demandDriverAgrees } from './driver-rules.ts'

/**
 * The driver of a cluster accepts a change of it, and so does whoever makes the cluster.
 *
 * @throws InvalidRequest, RequestTooLarge, ChangeRefused, and errors of reaching him
 */
export const demandAccepted = async (
  request: Pick<KeysRequest, 'ports'>,
  change: Omit<PlannedCluster, 'management'>,
): Promise<void> => {
  const { ports } = request
  demandLabelsFitAfter(change)
  const plan = { ...change, management: await plannedManagement(ports, change.cluster) }
  demandDriverAgrees(ports.drivers.cluster.resolve(plan.cluster.driver), plan)
  await askPreview(request, plan)
}
