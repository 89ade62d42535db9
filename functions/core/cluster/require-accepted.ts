import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import type { Ports } from '../ports.ts'
import { askPreview } from './ask-preview.ts'
import { requireDriverAgrees } from './driver-rules.ts'
import { plannedManagement } from './management.ts'
import { requireLabelsFitAfter } from './require-labels-fit.ts'

/**
 * The driver of a cluster accepts a change of it, and so does whoever makes the cluster.
 *
 * @throws InvalidRequest, RequestTooLarge, ChangeRefused, and errors of reaching him
 */
export const requireAccepted = async (ports: Ports, change: Omit<PlannedCluster, 'management'>): Promise<void> => {
  requireLabelsFitAfter(change)
  const plan = { ...change, management: await plannedManagement(ports, change.cluster) }
  requireDriverAgrees(ports.drivers.cluster.resolve(plan.cluster.driver), plan)
  await askPreview(ports, plan)
}
