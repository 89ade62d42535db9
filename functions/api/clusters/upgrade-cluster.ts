import type { Cluster } from '../../core/cluster/cluster.ts'
import { SETTLED, stateFault } from '../../core/cluster/cluster-state.ts'
import type { ClusterTask } from '../../core/cluster/cluster-task.ts'
import { replacesRunning } from '../../core/cluster/cluster-tasks.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { requireTaskKnown } from '../../core/cluster/driver-rules.ts'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import { markedGroups } from '../../core/cluster/node-group-writes.ts'
import { requireAccepted } from '../../core/cluster/require-accepted.ts'
import { isAbout } from '../../core/cluster/task-groups.ts'
import { InvalidRequest, ObjectNotVisible, StateConflict } from '../../core/errors.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { isFailed } from '../../core/values/status.ts'
import { quote } from '../../core/values/wording.ts'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import { RevisionConflict, TemplateGone } from '../../store/errors.ts'
import { requestChange } from '../cloud/request-change.ts'
import { type FoundTemplate, findTemplate } from '../clustertemplates/find-template.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import type { UpgradeCluster } from './cluster-actions.schema.ts'
import { findIntactCluster } from './find-cluster.ts'
import { remedyOfFailure } from './remedy.ts'
import { requireTemplateOpen } from './template-rules.ts'

type Request = KeysRequest<unknown, UpgradeCluster>

/** The action is there from 1.7 on and works from this minor version on (magnum-rest.md 1.4). */
const UPGRADE_SINCE = 8

const requireVersion = (minor: number): void => {
  if (minor >= UPGRADE_SINCE) return
  throw new InvalidRequest(
    `A cluster can't be upgraded in version 1.${minor}; it can from 1.${UPGRADE_SINCE} on: send the header "OpenStack-API-Version: container-infra 1.${UPGRADE_SINCE}".`,
  )
}

const isCurrent = ({ magnum }: Cluster, template: ClusterTemplate): boolean =>
  template.id === magnum.clusterTemplateId && template.projectId === magnum.templateProjectId

/** Seen from the cluster's project. Its present template is found also when it is published no longer. @throws ObjectNotVisible */
const findWanted = async (request: Request, cluster: Cluster): Promise<FoundTemplate> => {
  const ident = request.body.cluster_template
  if (ident === undefined) {
    throw new ObjectNotVisible(
      'The request names no cluster template: "cluster_template" must be its id or name. GET /v1/clustertemplates lists them.',
    )
  }
  const { clusterTemplateId, templateProjectId } = cluster.magnum
  if (ident === clusterTemplateId && templateProjectId !== null) {
    const template = await request.ports.stores.templates.get({ projectId: templateProjectId, id: ident })
    if (template !== undefined) return { template, isBuiltin: false }
  }
  const principal = { ...request.principal, projectId: cluster.projectId }
  return findTemplate({ ...request, principal }, ident)
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

const ask = async (request: Request, { cluster, nodeGroups, template, group, task }: Plan): Promise<void> => {
  const { ports } = request
  await requireAccepted(request.ports, { cluster, template, nodeGroups, task })
  const what = group === null ? 'The cluster' : `Node group ${group.name}`
  await requestChange(request, cluster, {
    task,
    takesPlace: true,
    writes: markedGroups(
      ports,
      nodeGroups.filter((one) => isAbout(task, one)),
      'UPDATE_IN_PROGRESS',
    ),
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

const round = async (request: Request): Promise<string> => {
  const { ports, body } = request
  const cluster = await findIntactCluster(request, 'cluster:upgrade_all_projects')
  const found = await findWanted(request, cluster)
  const { template } = found
  const nodeGroups = await ports.stores.nodeGroups.listOf(cluster)
  const group = groupToUpgrade(nodeGroups, body.nodegroup, isCurrent(cluster, template))
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  requireTaskKnown(driver, 'upgrade', 'upgrade it')
  requireTemplateFits(driver, found)
  if (!isCurrent(cluster, template)) requireTemplateOpen(request, template)
  const task: ClusterTask = {
    kind: 'upgrade',
    templateId: template.id,
    templateProjectId: template.projectId,
    nodeGroupId: group?.id ?? null,
    maxBatchSize: body.max_batch_size ?? 1,
  }
  requireUpgradable(cluster, nodeGroups, task)
  await ask(request, { cluster, nodeGroups, template, group, task }).catch((error: unknown) => {
    // Deleted meanwhile: look for it again.
    throw error instanceof TemplateGone ? new RevisionConflict(error.message, { cause: error }) : error
  })
  return cluster.id
}

/** `POST /v1/clusters/{cluster}/actions/upgrade` → 202 (magnum-rest.md 4.6). Refusals of state are 400, as in Magnum, which asks at once. */
export const upgradeClusterHandler = async (request: Request): Promise<ApiResponse> => {
  requireVersion(request.minor)
  const uuid = await retryOnConflict(() => round(request))
  return { status: 202, body: { uuid } }
}
