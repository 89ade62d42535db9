import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import { kubeconfigKey } from '../access/credentials.ts'
import { managementClients } from '../access/management-access.ts'
import { requireSize } from '../errors.ts'
import type { Ports, TablePorts } from '../ports.ts'
import { followLabels } from '../values/labels.ts'
import { quote } from '../values/wording.ts'
import { standInTemplate } from './builtin-templates.ts'
import type { Cluster, MagnumClusterAttributes } from './cluster.ts'
import { clusterContext } from './cluster-context.ts'
import { type RequireNone, requireDriverAgrees } from './cluster-rules.ts'
import { replacesRunning } from './cluster-tasks.ts'
import type { ClusterTemplate } from './cluster-template.ts'
import { plannedManagement } from './management.ts'

/** A change that has to wait is checked when its turn comes: what runs may be what it builds on. */
const waits = ({ cluster, task }: PlannedCluster): boolean =>
  task !== null && cluster.operation !== null && !replacesRunning(cluster, task)

/**
 * Asks whoever makes the cluster whether he takes it, or the change of it, after the driver's own check and before anything is stored.
 * Nothing is asked for drivers that can't, and for changes that have to wait; one that takes the place of what runs begins at once.
 *
 * @throws ChangeRefused with his words, and errors of reaching him
 */
export const askPreview = async (ports: Ports, plan: PlannedCluster): Promise<void> => {
  const { cluster, nodeGroups, task } = plan
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  if (driver.preview === undefined || waits(plan)) return
  const clients = managementClients(ports)
  try {
    const context = clusterContext(ports, cluster, {
      nodeGroups,
      task,
      undoing: false,
      credential: () => ports.stores.credentials.get(kubeconfigKey(cluster)),
      // Nothing is claimed before it is there.
      claimIdentity: () => Promise.resolve(),
      clients,
    })
    await driver.preview(context)
  } finally {
    clients.close()
  }
}

type Labelled = Pick<MagnumClusterAttributes, 'labels' | 'templateLabels'>

/** The labels that a cluster would have, and those of its template, which it keeps beside them. @throws RequestTooLarge */
export const requireLabelsFit = ({ labels, templateLabels }: Labelled, before?: Labelled): void => {
  requireSize('labels', labels, {
    before: before?.labels,
    advice: 'Labels that it has of its cluster template count, too.',
  })
  requireSize('labels', templateLabels, {
    before: before?.templateLabels,
    advice: 'These are the labels of the cluster template: shorten them, or choose another template.',
  })
}

/**
 * The labels that a cluster and its node groups would have after an upgrade: see `followLabels`. Other changes leave them as they are.
 *
 * @throws RequestTooLarge
 */
const requireLabelsFitAfter = ({
  cluster: { magnum },
  template,
  nodeGroups,
  task,
}: Pick<PlannedCluster, 'cluster' | 'template' | 'nodeGroups' | 'task'>): void => {
  if (task?.kind !== 'upgrade' || template === null) return
  const templateLabels = template.spec.labels
  const labels = followLabels(magnum.labels, magnum.templateLabels, templateLabels)
  requireLabelsFit({ labels, templateLabels }, magnum)
  for (const group of nodeGroups) {
    requireSize('labels', followLabels(group.labels, magnum.labels, labels), {
      before: group.labels,
      advice: `These are the labels of node group ${quote(group.name)} with those of the cluster template.`,
    })
  }
}

/** The template that a cluster was made from or upgraded to last, for its driver's checks; null when its driver makes no nodes. */
export const templateOfCluster = async (
  ports: Pick<TablePorts, 'stores' | 'drivers'>,
  { driver: driverId, magnum }: Cluster,
): Promise<ClusterTemplate | null> => {
  const driver = ports.drivers.cluster.resolve(driverId)
  if (!driver.capabilities.makesNodes) return null
  const { templateProjectId: projectId, clusterTemplateId: id } = magnum
  const stored = projectId === null ? undefined : await ports.stores.templates.get({ projectId, id })
  return stored ?? (projectId === null ? standInTemplate(driver) : null)
}

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
