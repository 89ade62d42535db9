import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { byNumber } from '../../../../../core/values/wording.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { isLeaving, isTrue } from './conditions.ts'
import { deploymentOf, machinesOf, makerOf } from './groups.ts'
import { deletionOf, troubleOf } from './reason.ts'

const withTrouble = (words: string, trouble: string | undefined): string =>
  trouble === undefined ? words : `${words} (${trouble})`

const are = (count: number): string => (count === 1 ? 'is' : 'are')

/** More than shall be: new ones come before old ones go, and what is not ready holds that up. */
const tooMany = (present: number, wanted: number, unready: number): string => {
  const words = `${present} ${present === 1 ? 'node' : 'nodes'} ${are(present)} there, ${wanted} ${are(wanted)} wanted`
  return unready === 0 ? words : `${words}, ${unready} ${are(unready)} not ready`
}

/** Numbers of a group, in words. */
const counts = (snapshot: Snapshot, group: NodeGroup): string | undefined => {
  const maker = makerOf(snapshot, group)
  if (maker === undefined) return `0 of ${group.nodeCount} nodes are ready`
  const { spec, status } = maker
  if (status.readyReplicas < spec.replicas) return `${status.readyReplicas} of ${spec.replicas} nodes are ready`
  if (status.upToDateReplicas < spec.replicas)
    return `${status.upToDateReplicas} of ${spec.replicas} nodes are replaced`
  // Machines on their way out are no replicas any more.
  const machines = machinesOf(snapshot, group)
  const present = Math.max(status.replicas, machines.length)
  const unready = machines.filter((machine) => !isLeaving(machine) && !isTrue(machine, 'Ready'))
  return present > spec.replicas ? tooMany(present, spec.replicas, unready.length) : undefined
}

/** The snapshot with nothing but the group's own: others may have their own troubles. */
const ownPart = (snapshot: Snapshot, group: NodeGroup): Snapshot => {
  const own = deploymentOf(snapshot, group)
  return {
    ...snapshot,
    controlPlane: isMaster(group) ? snapshot.controlPlane : undefined,
    deployments: own ? [own] : [],
    machines: machinesOf(snapshot, group),
  }
}

/** What a change of a group waits for: numbers first, which everybody understands, then the words of Cluster API. */
export const groupProgress = (snapshot: Snapshot, group: NodeGroup): string => {
  const trouble = troubleOf(ownPart(snapshot, group)) ?? troubleOf(snapshot)
  const words = counts(snapshot, group) ?? (trouble === undefined ? 'the nodes to be as they shall be' : 'not done yet')
  return withTrouble(`${group.name}: ${words}`, trouble)
}

/** The same of a whole cluster: its masters first, then the first group that lacks something. */
export const clusterProgress = (snapshot: Snapshot, groups: readonly NodeGroup[]): string | undefined => {
  const [first] = groups
    .toSorted((a, b) => Number(isMaster(b)) - Number(isMaster(a)))
    .filter((group) => counts(snapshot, group) !== undefined)
  return first === undefined ? troubleOf(snapshot) : groupProgress(snapshot, first)
}

/** What a deletion waits for. */
export const deletionProgress = (snapshot: Snapshot): string => {
  const { length } = snapshot.machines
  const what =
    length === 0 ? 'what was made beside the nodes' : `${length} ${byNumber(snapshot.machines, 'node', 'nodes')}`
  return withTrouble(`${what} to be gone`, deletionOf(snapshot))
}

/** What the deletion of a group waits for. */
export const groupDeletionProgress = (snapshot: Snapshot, group: NodeGroup): string => {
  const machines = machinesOf(snapshot, group)
  const what = machines.length === 0 ? 'the group' : `${machines.length} ${byNumber(machines, 'node', 'nodes')}`
  return withTrouble(`${group.name}: ${what} to be gone`, troubleOf(ownPart(snapshot, group)))
}
