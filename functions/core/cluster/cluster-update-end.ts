import { isDeepStrictEqual } from 'node:util'
import { TemplateGone } from '../../store/errors.ts'
import type { Write } from '../../store/write.ts'
import {
  droppedCredential,
  droppedFacts,
  promotedCredential,
  promotedFacts,
  releasedClaims,
  withoutClaim,
} from '../access/cluster-identity.ts'
import { describeFailure, type Failure } from '../operation/operation.ts'
import type { Target } from '../operation/subjects.ts'
import type { Ports } from '../ports.ts'
import { isWithinSize } from '../values/attribute-sizes.ts'
import { followLabels } from '../values/labels.ts'
import { isFailed } from '../values/status.ts'
import { counted, withoutFullStop } from '../values/wording.ts'
import { droppedAuthorities, promotedAuthorities } from './authorities.ts'
import { renewalPutOff } from './cloud-ownership.ts'
import type { Cluster, ClusterChange } from './cluster.ts'
import { type EndPorts, endAndGoOn, type Rest } from './cluster-end.ts'
import type { ClusterTask } from './cluster-task.ts'
import type { NodeGroup, NodeGroupChange } from './node-group.ts'
import { groupsInCommit } from './node-group-writes.ts'
import { followSoon } from './observe-commands.ts'
import { failed, isAbout, succeeded } from './task-groups.ts'

type UpgradePorts = Pick<Ports, 'stores'>
type Upgrade = Extract<ClusterTask, { kind: 'upgrade' }>

/** A group that was made while the upgrade ran keeps labels that would be too large otherwise: the request was refused for those that were there. */
const changedLabels = (group: NodeGroup, labels: NodeGroup['labels']): NodeGroupChange =>
  isDeepStrictEqual(group.labels, labels) || !isWithinSize('labels', labels) ? {} : { labels }

/** What an upgrade that succeeded changes: of the cluster, and of each node group. */
type Upgraded = { change: ClusterChange; group(group: NodeGroup): NodeGroupChange }

/**
 * What was given to the cluster itself stays, attributes and labels; labels that it has of its template are the new one's from now on, and
 * those that its node groups have of it follow. The template is there still, since it counts as used from the request on.
 *
 * @throws TemplateGone
 */
const upgraded = async (ports: UpgradePorts, cluster: Cluster, task: Upgrade): Promise<Upgraded> => {
  const template = await ports.stores.templates.get({ projectId: task.templateProjectId, id: task.templateId })
  if (template === undefined) {
    throw new TemplateGone(
      `The cluster template ${task.templateId} was deleted while ${cluster.name} was upgraded to it.`,
    )
  }
  const { id, projectId, spec } = template
  const { labels: before, templateLabels } = cluster.magnum
  const labels = followLabels(before, templateLabels, spec.labels)
  const magnum = {
    ...cluster.magnum,
    labels,
    clusterTemplateId: id,
    templateProjectId: projectId,
    templateLabels: spec.labels,
  }
  return {
    change: { magnum },
    group: (group) => ({
      ...(isAbout(task, group) ? { imageId: spec.imageId } : {}),
      ...changedLabels(group, followLabels(group.labels, before, labels)),
    }),
  }
}

const upgradeOf = (templateId: string, group: string | null): string =>
  `upgrade${group === null ? '' : ` of ${group}`} to cluster template ${templateId}`

/** A task as a reader of a cluster's history understands it, to go on inside of a sentence: "resize of node group pool-1 to 3 nodes". */
const describeTask = (task: ClusterTask, groups: readonly NodeGroup[]): string => {
  const named = (id: string): string => `node group ${groups.find((group) => group.id === id)?.name ?? id}`
  switch (task.kind) {
    case 'credential':
      return 'change of the kubeconfig'
    case 'resize':
      return `resize of ${named(task.nodeGroupId)} to ${counted(task.nodeCount, 'node')}`
    case 'node-group-create':
      return `creation of ${named(task.nodeGroupId)}`
    case 'node-group-update':
      return `update of ${named(task.nodeGroupId)}`
    case 'node-group-delete':
      return `deletion of ${named(task.nodeGroupId)}`
    case 'upgrade':
      return upgradeOf(task.templateId, task.nodeGroupId === null ? null : named(task.nodeGroupId))
    case 'rotate-authority':
      return 'rotation of the certificate authorities'
    case 'rotate-credential':
      return 'rotation of the credentials'
  }
}

const UNKNOWN = 'failed'

/** `Node groups a, b: why; c: why.`: each reason once. */
const nameGroups = (groups: readonly NodeGroup[]): string[] => {
  if (groups.length === 0) return []
  const byReason = Map.groupBy(groups, ({ statusReason }) => withoutFullStop(statusReason ?? UNKNOWN))
  const said = [...byReason].map(([reason, same]) => `${same.map(({ name }) => name).join(', ')}: ${reason}`)
  return [`Node group${groups.length === 1 ? '' : 's'} ${said.join('; ')}.`]
}

/**
 * How a cluster rests after its last task (magnum-rest.md 9.2): failed while one of its node groups is, or when the task itself failed;
 * once changed it never reads CREATE_COMPLETE again.
 *
 * @param failure of the last task, as `status_reason` shows it; null when it succeeded
 */
export const verdictOf = (groups: readonly NodeGroup[], failure: string | null): Rest => {
  const faulty = groups.filter(({ status }) => isFailed(status))
  const isReported = failure === null || faulty.some(({ statusReason }) => statusReason === failure)
  const sentences = [...(isReported ? [] : [failure]), ...nameGroups(faulty)]
  return sentences.length === 0
    ? { status: 'UPDATE_COMPLETE', statusReason: null }
    : { status: 'UPDATE_FAILED', statusReason: sentences.join(' ') }
}

type StorePorts = Pick<Ports, 'stores'>

/** The task of a cluster's update. One that was begun before tasks were stored brought a kubeconfig. */
export const taskOf = ({ task }: Cluster): ClusterTask => task ?? { kind: 'credential' }

/** What a task puts in force besides the node groups' status. */
type InForce = { change?: ClusterChange; group?: (group: NodeGroup) => NodeGroupChange; writes: Write[] }

const putInForce = async (ports: StorePorts, cluster: Cluster, task: ClusterTask): Promise<InForce> => {
  switch (task.kind) {
    case 'credential':
      return { writes: await promotedCredential(ports, cluster) }
    case 'rotate-authority':
      return { writes: await promotedAuthorities(ports, cluster) }
    case 'upgrade':
      return { ...(await upgraded(ports, cluster, task)), writes: [] }
    default:
      return { writes: [] }
  }
}

/** Candidates are of the task that ends: those of others have not come yet, since such a change is refused while another runs. */
const droppedCandidates = (ports: StorePorts, cluster: Cluster, task: ClusterTask): Write[] => {
  if (task.kind === 'credential') return [droppedCredential(ports, cluster)]
  return task.kind === 'rotate-authority' ? droppedAuthorities(ports, cluster) : []
}

/**
 * The cluster's task succeeded: its candidates take the place of the old ones, its node groups are as asked for, and the next waiting task
 * begins.
 *
 * @param notes what did not go as planned all the same, for the history
 * @throws OperationSuperseded
 * @throws TemplateGone when the template of an upgrade is not there
 */
export const endClusterUpdate = async (
  ports: EndPorts,
  target: Target,
  notes: readonly string[] = [],
): Promise<void> => {
  await endAndGoOn(ports, target, async ({ cluster, nodeGroups }) => {
    const task = taskOf(cluster)
    const facts = await promotedFacts(ports, cluster)
    const inForce = await putInForce(ports, cluster, task)
    const { changed, removed } = succeeded(task, nodeGroups, cluster.queue, inForce.group)
    const written = groupsInCommit(changed.map(({ group, change }) => ({ ...group, ...change })))
    return {
      // Labels of very many groups stay as they are.
      groups: { changed: changed.slice(0, written.length), removed },
      change: { ...facts.change, ...inForce.change },
      writes: [...facts.writes, ...inForce.writes],
      rest: (groups) => verdictOf(groups, null),
      said: {
        action: 'update',
        outcome: 'success',
        reason: 'Updated',
        message: [`Cluster ${cluster.name} was updated: ${describeTask(task, nodeGroups)}.`, ...notes].join(' '),
      },
    }
  })
  const { projectId, entityId: id } = target
  const cluster = await ports.stores.clusters.get({ projectId, id })
  if (cluster !== undefined) await followSoon(ports, cluster)
}

/** What only a first registration leaves behind: a claim of an identity that was not stored. */
const unclaimed = (ports: StorePorts, cluster: Cluster): { change: ClusterChange; writes: Write[] } =>
  cluster.identity === null
    ? { change: { driverState: withoutClaim(cluster.driverState) }, writes: releasedClaims(ports, cluster) }
    : { change: {}, writes: [] }

/**
 * The cluster's task failed: candidates are dropped, its node groups say why and go back to the count that was reached, and the next
 * waiting task begins.
 *
 * @throws OperationSuperseded
 */
export const endClusterUpdateFailed = (ports: EndPorts, target: Target, failure: Failure): Promise<void> =>
  endAndGoOn(ports, target, ({ cluster, nodeGroups }) => {
    const task = taskOf(cluster)
    const statusReason = describeFailure(failure)
    const { change, writes } = unclaimed(ports, cluster)
    return {
      groups: failed(task, nodeGroups, cluster.queue, statusReason),
      change: { ...change, ...(task.kind === 'rotate-credential' ? renewalPutOff(ports, cluster) : {}) },
      writes: [droppedFacts(ports, cluster), ...droppedCandidates(ports, cluster, task), ...writes],
      rest: (groups) => verdictOf(groups, statusReason),
      said: {
        action: 'update',
        outcome: 'failure',
        reason: failure.reason,
        message: `${failure.message} (${describeTask(task, nodeGroups)})`,
      },
    }
  })
