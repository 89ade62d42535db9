import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { autoscalingOf } from '../autoscaling.ts'
import { deploymentOf, isDeferred } from '../status/groups.ts'
import { machineDeployments } from './resources.ts'
import type { CapiSite, Snapshot } from './snapshot.ts'

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
