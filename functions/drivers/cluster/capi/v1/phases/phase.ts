import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'
import type { ClusterContext, ClusterPhase, ClusterStepResult } from '../../../../contract/cluster-driver.ts'
import { step } from '../../../../support/step.ts'
import { conditionOf, isLeaving, isTrue, type Machine } from '../management/objects.schema.ts'
import { type CapiSite, type ManagementSite, managementSite, type Snapshot } from '../management/snapshot.ts'
import { autoscalingOf } from '../model/desired.ts'
import { ClusterNotReady } from '../model/errors.ts'
import { CONTROL_PLANE_LABEL, machineDeployments, machines as machineResource } from '../model/names.ts'
import { isTimedOut, sinceState, TOPOLOGY_FAULT } from '../model/state.schema.ts'
import { deploymentOf, isDeferred } from '../status/groups.ts'
import { topologyFault } from '../status/progress.ts'

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
export const CALLS_SECONDS = 900

type Named = Pick<ClusterPhase, 'id' | 'title'> & { deadlineSeconds?: number }

/** A phase that works in the management cluster. By default it has the time of a few calls. `run` ends it with `Pending` where it has to wait. */
export const managementPhase = (
  { deadlineSeconds = CALLS_SECONDS, ...named }: Named,
  run: (context: ClusterContext, site: ManagementSite) => Promise<Omit<ClusterStepResult, 'done' | 'waitingFor'>>,
): ClusterPhase => ({
  ...named,
  deadlineSeconds,
  ensure: (context) => step(async () => run(context, await managementSite(context))),
})

/** The topology says nothing of its number of nodes, or is not heard: Cluster API leaves what waits for an upgrade of its own as it is. */
const isOnItsOwn = (snapshot: Snapshot, group: NodeGroup): boolean =>
  autoscalingOf(group) !== undefined || isDeferred(snapshot, group)

/**
 * Writes the number of nodes where an autoscaler writes it, in the MachineDeployment, for groups of which nobody else does. True when something was
 * written: what was read is of yesterday then.
 */
const scale = async (
  { client, names }: CapiSite,
  snapshot: Snapshot,
  groups: readonly NodeGroup[],
  countOf: (is: number, group: NodeGroup) => number,
): Promise<boolean> => {
  let isChanged = false
  for (const group of groups.filter((one) => isOnItsOwn(snapshot, one))) {
    const deployment = deploymentOf(snapshot, group)
    if (deployment === undefined) continue
    const replicas = countOf(deployment.spec.replicas, group)
    if (replicas === deployment.spec.replicas) continue
    await client.patch(machineDeployments(names.namespace), deployment.metadata.name, { spec: { replicas } })
    isChanged = true
  }
  return isChanged
}

/** Of new groups, which begin with their fewest: up to what was asked for. Not down, since their autoscaler may be at work already. */
export const scaleUp = (site: CapiSite, snapshot: Snapshot, groups: readonly NodeGroup[]): Promise<boolean> =>
  scale(site, snapshot, groups, (is, { nodeCount }) => Math.max(is, nodeCount))

/** Of groups that are resized. Once: what an autoscaler makes of it afterwards is right. */
export const scaleTo = (site: CapiSite, snapshot: Snapshot, groups: readonly NodeGroup[]): Promise<boolean> =>
  scale(site, snapshot, groups, (_, { nodeCount }) => nodeCount)

/** Of groups whose limits were changed: into them. Autoscalers leave a number alone that is outside already. */
export const scaleInto = (site: CapiSite, snapshot: Snapshot, groups: readonly NodeGroup[]): Promise<boolean> =>
  scale(site, snapshot, groups, (is, group) => {
    const range = autoscalingOf(group)
    return range === undefined ? is : Math.min(Math.max(is, range.min), range.max)
  })

/** How long a machine that runs may take to join: kubeadm pulls images and starts etcd. Milliseconds. */
const JOIN_MS = 10 * 60_000

const hasNode = ({ status }: Machine): boolean => status.nodeRef.name !== ''

/** Not what is wanted any more, and nothing runs on it, or nothing that has joined in all that time. */
const isUnborn = (machine: Machine, now: string): boolean => {
  if (isLeaving(machine) || hasNode(machine) || conditionOf(machine, 'UpToDate')?.status !== 'False') return false
  const age = Date.parse(now) - Date.parse(machine.metadata.creationTimestamp)
  return !isTrue(machine, 'InfrastructureReady') || age > JOIN_MS
}

/**
 * Deletes masters that an earlier upgrade has begun and that never came up, once another upgrade wants others (decision 0025). The control plane replaces
 * nothing while one of its machines has no node, so that it would wait for its health check, half an hour, or where that is off for ever. No member of etcd is among them.
 */
export const removeMachinesWithoutNode = async (
  { client, names }: ManagementSite,
  { machines }: Snapshot,
  now: string,
): Promise<void> => {
  const masters = machines.filter(({ metadata }) => CONTROL_PLANE_LABEL in metadata.labels)
  if (!masters.some((machine) => hasNode(machine) && !isLeaving(machine))) return
  for (const { metadata } of masters.filter((machine) => isUnborn(machine, now))) {
    await client.delete(machineResource(names.namespace), metadata.name, { uid: metadata.uid })
  }
}

/** Seconds for which the topology controller may fail before the change counts as failed: objects that it needs come one after the other. */
const GRACE_SECONDS = 600

/**
 * Since when this operation has seen the topology controller fail, to be stored after each observation. What Cluster API tells is the time of the condition's
 * status, which is False from the begin of a create or an upgrade to its end, whatever the reason.
 */
export const faultState = (context: ClusterContext, snapshot: Snapshot): JsonObject =>
  topologyFault(snapshot) === undefined ? { [TOPOLOGY_FAULT]: null } : sinceState(context, TOPOLOGY_FAULT)

/** @throws ClusterNotReady when the topology controller has failed for too long */
export const requireTopology = (context: ClusterContext, snapshot: Snapshot): void => {
  const fault = topologyFault(snapshot)
  if (fault !== undefined && isTimedOut(context, TOPOLOGY_FAULT, GRACE_SECONDS)) {
    throw new ClusterNotReady(`${fault}.`)
  }
}
