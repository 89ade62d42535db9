import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import { RevisionConflict, TemplateGone } from '../../store/errors.ts'
import { InvalidRequest, ObjectNotVisible, StateConflict } from '../errors.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { isFailed } from '../values/status.ts'
import { quote } from '../values/wording.ts'
import type { Cluster } from './cluster.ts'
import { requireTaskKnown, SETTLED, stateFault } from './cluster-rules.ts'
import type { ClusterTask } from './cluster-task.ts'
import { type ChangeRules, type RequestChange, replacesRunning } from './cluster-tasks.ts'
import type { ClusterTemplate, FoundTemplate } from './cluster-template.ts'
import { requireAccepted } from './driver-preview.ts'
import { findNodeGroup } from './find-node-group.ts'
import type { NodeGroup } from './node-group.ts'
import { markedGroups } from './node-group-writes.ts'
import { remedyOfFailure } from './remedy.ts'
import { isAbout } from './task-groups.ts'

/** What an upgrade asks for. */
export type Upgrade = {
  /** Id or name of the template. Without one nothing is found (magnum-rest.md 13.5). */
  template: string | undefined
  /** Id or name. Default: the cluster with its default groups. */
  nodeGroup: string | undefined
  /** Nodes that are replaced at a time. */
  maxBatchSize: number
}

export type UpgradeRules = ChangeRules & {
  /** A template as the caller finds it from the cluster's project. @throws ObjectNotVisible, NameAmbiguous */
  findTemplate(cluster: Cluster, ident: string): Promise<FoundTemplate>
  /** The caller may bring a cluster to another template. @throws PolicyForbids */
  requireTemplateOpen(template: ClusterTemplate): void
}

const isCurrent = ({ magnum }: Cluster, template: ClusterTemplate): boolean =>
  template.id === magnum.clusterTemplateId && template.projectId === magnum.templateProjectId

/** The cluster's present template is found also when it is published no longer. @throws ObjectNotVisible */
const findWanted = async (
  { stores }: Pick<Ports, 'stores'>,
  cluster: Cluster,
  ident: string | undefined,
  { findTemplate }: UpgradeRules,
): Promise<FoundTemplate> => {
  if (ident === undefined) {
    throw new ObjectNotVisible(
      'The request names no cluster template: "cluster_template" must be its id or name. GET /v1/clustertemplates lists them.',
    )
  }
  const { clusterTemplateId, templateProjectId } = cluster.magnum
  if (ident === clusterTemplateId && templateProjectId !== null) {
    const template = await stores.templates.get({ projectId: templateProjectId, id: ident })
    if (template !== undefined) return { template, isBuiltin: false }
  }
  return findTemplate(cluster, ident)
}

/** @throws InvalidRequest */
const requireTemplateFits = (driver: ClusterDriverDescription, { template, isBuiltin }: FoundTemplate): void => {
  const { driver: other, name, id } = template
  if (isBuiltin) {
    throw new InvalidRequest(
      `The cluster template ${quote(name ?? id)} is built in and says nothing of clusters, so there is nothing to upgrade to. Choose another one.`,
    )
  }
  if (other === driver.id) return
  throw new InvalidRequest(
    `The cluster template ${quote(name ?? id)} is for the driver ${other}, and the cluster is of ${driver.id}. Choose a template for that driver.`,
  )
}

/**
 * The group to upgrade; null: the cluster with its default groups. A default group goes to another template with the cluster only, and
 * other groups follow one by one (magnum-rest.md 4.6).
 *
 * @throws ObjectNotVisible, StateConflict
 */
const groupToUpgrade = (
  groups: readonly NodeGroup[],
  ident: string | undefined,
  toCurrent: boolean,
): NodeGroup | null => {
  if (ident === undefined) return null
  const group = findNodeGroup(groups, ident)
  if (toCurrent) return group
  if (group.isDefault) return null
  throw new StateConflict(
    `Node group ${quote(group.name)} can only be upgraded to the template that its cluster has. Upgrade the cluster first: leave "nodegroup" out.`,
  )
}

/** What is decided of an upgrade. */
type Plan = {
  cluster: Cluster
  nodeGroups: readonly NodeGroup[]
  template: ClusterTemplate
  group: NodeGroup | null
  task: ClusterTask
}

const ask = async (ports: Ports, plan: Plan, request: RequestChange): Promise<void> => {
  const { cluster, nodeGroups, template, group, task } = plan
  await requireAccepted(ports, { cluster, template, nodeGroups, task })
  const what = group === null ? 'The cluster' : `Node group ${group.name}`
  const own = nodeGroups.filter((one) => isAbout(task, one))
  await request(cluster, {
    task,
    takesPlace: true,
    writes: markedGroups(ports, own, 'UPDATE_IN_PROGRESS'),
    said: {
      reason: 'UpgradeRequested',
      message: `${what} is to be upgraded to template ${template.name ?? template.id}.`,
    },
  })
}

/**
 * True for a cluster with an upgrade that failed: only another one repairs it, since drivers go back to no version, and what else has failed may have failed for
 * that (decision 0025).
 */
const isUpgradeToMend = ({ status }: Cluster, nodeGroups: readonly NodeGroup[]): boolean =>
  status === 'UPDATE_FAILED' && nodeGroups.some((group) => isFailed(group.status) && group.failedTask === 'upgrade')

/** One that takes the place of a running upgrade is taken (decision 0024), and so is one that repairs (decision 0025). @throws InvalidRequest with what to do first */
const requireUpgradable = (cluster: Cluster, nodeGroups: readonly NodeGroup[], task: ClusterTask): void => {
  if (replacesRunning(cluster, task) || isUpgradeToMend(cluster, nodeGroups)) return
  const fault = stateFault(cluster, SETTLED)
  if (fault === null) return
  const remedy = cluster.status === 'UPDATE_FAILED' ? remedyOfFailure(cluster, nodeGroups) : ''
  throw new InvalidRequest(`${fault}${remedy}`)
}

/** Reads, decides, commits. */
const round = async (ports: Ports, rules: UpgradeRules, desired: Upgrade): Promise<Cluster> => {
  const cluster = await rules.findCluster()
  const found = await findWanted(ports, cluster, desired.template, rules)
  const { template } = found
  const nodeGroups = await ports.stores.nodeGroups.listOf(cluster)
  const group = groupToUpgrade(nodeGroups, desired.nodeGroup, isCurrent(cluster, template))
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  requireTaskKnown(driver, 'upgrade', 'upgrade it')
  requireTemplateFits(driver, found)
  if (!isCurrent(cluster, template)) rules.requireTemplateOpen(template)
  const task: ClusterTask = {
    kind: 'upgrade',
    templateId: template.id,
    templateProjectId: template.projectId,
    nodeGroupId: group?.id ?? null,
    maxBatchSize: desired.maxBatchSize,
  }
  requireUpgradable(cluster, nodeGroups, task)
  await ask(ports, { cluster, nodeGroups, template, group, task }, rules.request).catch((error: unknown) => {
    // Deleted meanwhile: look for it again.
    throw error instanceof TemplateGone ? new RevisionConflict(error.message, { cause: error }) : error
  })
  return cluster
}

/**
 * Upgrades a cluster with its default groups to a template, or one of its groups to the cluster's template (magnum-rest.md 4.6).
 *
 * @throws InvalidRequest, ChangeRefused, StateConflict, QueueFull, ObjectNotVisible, PolicyForbids, and errors of reaching whoever makes the cluster
 */
export const upgradeCluster = (ports: Ports, rules: UpgradeRules, desired: Upgrade): Promise<Cluster> =>
  retryOnConflict(() => round(ports, rules, desired))
