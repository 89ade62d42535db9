import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import type { Ports } from '../ports.ts'
import { askPreview } from './ask-preview.ts'
import { type RequireNone, requireDriverAgrees } from './driver-rules.ts'
import { plannedManagement } from './management.ts'
import { requireLabelsFitAfter } from './require-labels-fit.ts'
import { templateOfCluster } from './template-of-cluster.ts'

/** `template`: the one that the cluster gets. Default: the one that it has. */
type Change = Omit<PlannedCluster, 'management' | 'template'> & Partial<Pick<PlannedCluster, 'template'>>

/**
 * The driver of a cluster accepts a change of it, and so does whoever makes the cluster.
 *
 * @param requireNone how what the driver has against it is refused. Default: as a request that is invalid
 * @throws InvalidRequest, RequestTooLarge, ChangeRefused, and errors of reaching him
 */
export const requireAccepted = async (ports: Ports, change: Change, requireNone?: RequireNone): Promise<void> => {
  const { cluster } = change
  const [template, management] = await Promise.all([
    change.template ?? templateOfCluster(ports, cluster),
    plannedManagement(ports, cluster),
  ])
  const plan = { ...change, template, management }
  requireLabelsFitAfter(plan)
  requireDriverAgrees(ports.drivers.cluster.resolve(cluster.driver), plan, requireNone)
  await askPreview(ports, plan)
}
