import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { byNumber, listInWords, quote, withoutFullStop } from '../../../../../core/values/wording.ts'
import {
  type CapiObject,
  type Condition,
  conditionOf,
  isLeaving,
  isTrue,
  type OpenStackServer,
} from '../management/objects.schema.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { deploymentOf, machinesOf, makerOf } from './groups.ts'

/** Aggregated messages of Cluster API are nested lists in lines ("* Machine a:", "  * NodeHealthy: …"): the same in one line. */
export const inOneLine = (text: string): string =>
  text
    .replaceAll(/^\s*\*\s+/gm, '')
    .replaceAll(/:\s*\n\s*/g, ': ')
    .replaceAll(/\s*\n\s*/g, '; ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** CAPO does not say what Nova says of an instance in ERROR. */
const inError = ({ metadata: { name } }: OpenStackServer): string =>
  `the cloud could not make the instance; "openstack server show ${name}" says why`

const failure = (server: OpenStackServer, { reason, message }: Condition): string =>
  `${reason || 'InstanceReady'}: ${message === '' ? inError(server) : withoutFullStop(message.replaceAll(/\s+/g, ' ').trim())}`

const named = (what: string, name: string | undefined): string => (name === undefined ? what : `${what} ${quote(name)}`)

/** What CAPO looks for in the cloud and has not found. It says so in its log only. */
const missing = ({ spec, status: { resolved } }: OpenStackServer): string[] =>
  resolved === undefined
    ? []
    : [
        ...(resolved.imageID === '' ? [named('image', spec.image.id ?? spec.image.filter.name)] : []),
        ...(resolved.flavorID === '' ? [named('flavor', spec.flavorID ?? spec.flavor)] : []),
        ...(resolved.ports.length === 0 ? ['networks of its ports'] : []),
      ]

const troubleWith = (server: OpenStackServer): string[] => {
  const ready = conditionOf(server, 'InstanceReady')
  if (ready?.status === 'True') return []
  const title = `OpenStackServer/${server.metadata.name}`
  if (ready?.status === 'False') return [`${title} ${failure(server, ready)}`]
  const absent = missing(server)
  return absent.length === 0 ? [] : [`${title} NotResolved: not found in the cloud: ${listInWords(absent)}`]
}

/** Why the cloud has no machine where there should be one: of those that stay and are not well. */
const serverTroubles = ({ machines, servers }: Snapshot): string[] => {
  const troubled = machines.filter((machine) => !isLeaving(machine) && !isTrue(machine, 'Ready'))
  const names = new Set(troubled.map(({ metadata }) => metadata.name))
  return servers.filter(({ metadata }) => names.has(metadata.name)).flatMap(troubleWith)
}

/** Longest reason, characters: part of `status_reason`, which is shown in one line. */
const REASON_MAX = 500

/** Conditions to check, in this order (cluster-api.md 2.3): the first that is not True says why. */
const OF_CLUSTER = ['InfrastructureReady'] as const
const OF_CONTROL_PLANE = ['Available', 'MachinesReady'] as const
const OF_DEPLOYMENT = ['MachinesReady'] as const
const OF_MACHINE = ['Ready'] as const

const cut = (text: string): string => (text.length > REASON_MAX ? `${text.slice(0, REASON_MAX - 1)}…` : text)

/** `MachineDeployment/paris-x-md-1 ScalingUp: no host was found`. Without a message the condition is named. */
const reported = ({ kind, metadata }: CapiObject, { type, status, reason, message }: Condition): string => {
  const what = message === '' ? `${type} is ${status}` : withoutFullStop(inOneLine(message))
  return cut(`${kind}/${metadata.name} ${reason === '' ? type : reason}: ${what}`)
}

const failing = (object: CapiObject | undefined, types: readonly string[]): string[] =>
  object === undefined
    ? []
    : types.flatMap((type) => {
        const condition = conditionOf(object, type)
        return condition === undefined || condition.status === 'True' ? [] : [reported(object, condition)]
      })

/** Reasons of TopologyReconciled with which somebody has to act; with all others it is on its way, and what holds it up says more. */
const TOPOLOGY_FAULTS = ['ReconcileFailed', 'ClusterClassNotReconciled', 'Paused', 'ClusterPaused']

const isUnderWay = (cluster: CapiObject | undefined): boolean =>
  cluster !== undefined && !TOPOLOGY_FAULTS.includes(conditionOf(cluster, 'TopologyReconciled')?.reason ?? '')

/**
 * Why it is not as it is wanted: the first condition that fails, in the words of Cluster API; before those of machines, which wait for the cloud, those of
 * what is made there. Undefined when none does.
 */
export const troubleOf = (snapshot: Snapshot): string | undefined => {
  const { cluster, controlPlane, deployments, machines } = snapshot
  const topology = failing(cluster, ['TopologyReconciled'])
  const [first] = [
    ...(isUnderWay(cluster) ? [] : topology),
    ...failing(cluster, OF_CLUSTER),
    ...serverTroubles(snapshot).map(cut),
    ...failing(controlPlane, OF_CONTROL_PLANE),
    ...deployments.flatMap((deployment) => failing(deployment, OF_DEPLOYMENT)),
    ...machines.filter((machine) => !isLeaving(machine)).flatMap((machine) => failing(machine, OF_MACHINE)),
    ...topology,
  ]
  return first
}

/** How far a deletion is, or that somebody holds it up. */
export const deletionOf = ({ cluster }: Snapshot): string | undefined => {
  if (cluster === undefined) return undefined
  const conditions = ['Deleting', 'Paused'].map((type) => conditionOf(cluster, type))
  const condition = conditions.find(
    (one) => one !== undefined && one.status !== 'False' && one.reason !== 'DeletionCompleted',
  )
  return condition && reported(cluster, condition)
}

/** What the topology controller can't do of what the Cluster says now; undefined while it works. */
export const topologyFault = ({ cluster }: Snapshot): string | undefined => {
  const reconciled = cluster && conditionOf(cluster, 'TopologyReconciled')
  if (cluster === undefined || reconciled?.status !== 'False' || reconciled.reason !== 'ReconcileFailed')
    return undefined
  // What it says may be of the Cluster as it was before the change.
  const isCurrent = (reconciled.observedGeneration ?? cluster.metadata.generation) >= cluster.metadata.generation
  return isCurrent ? reported(cluster, reconciled) : undefined
}

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
