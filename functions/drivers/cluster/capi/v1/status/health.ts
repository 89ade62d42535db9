import type { ClusterObservation, HealthStatus } from '../../../../../core/cluster/cluster.ts'
import {
  type CapiCluster,
  type CapiObject,
  conditionOf,
  isChanging,
  isLeaving,
  isTrue,
  type Machine,
  type MachineDeployment,
} from '../management/objects.schema.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { CONTROL_PLANE_LABEL, DEPLOYMENT_NAME_LABEL } from '../model/names.ts'
import { versionOf } from './groups.ts'
import { inOneLine } from './progress.ts'

/** Minutes until a machine has a node, and until that is Ready. The first is when Cluster API's health check gives it up. */
const NODE_MINUTES = 30
const READY_MINUTES = 10

/** A new machine whose node is not there, or not Ready, and need not be yet. */
const isComing = (machine: Machine, now: string): boolean => {
  const { metadata, status } = machine
  const age = (Date.parse(now) - Date.parse(metadata.creationTimestamp)) / 60_000
  const isNew = age < (status.nodeRef.name === '' ? NODE_MINUTES : READY_MINUTES)
  return isNew && !isLeaving(machine) && !isTrue(machine, 'NodeHealthy')
}

const isOfDeployment = ({ metadata }: MachineDeployment, machine: Machine): boolean =>
  machine.metadata.labels[DEPLOYMENT_NAME_LABEL] === metadata.labels[DEPLOYMENT_NAME_LABEL]

/** A group that lacks available nodes although nothing is being done to it, and fewer than it lacks are on their way. */
const isShort = ({ machines }: Snapshot, deployment: MachineDeployment, now: string): boolean => {
  const lacking = deployment.spec.replicas - deployment.status.availableReplicas
  if (lacking <= 0 || isChanging(deployment)) return false
  return machines.filter((machine) => isOfDeployment(deployment, machine) && isComing(machine, now)).length < lacking
}

/**
 * True when a group lacks nodes that nothing explains. Cluster API itself calls workers unavailable as soon as a group has fewer than it shall have, which is
 * so after each resize, and for a moment after that.
 */
const areWorkersShort = (snapshot: Snapshot, now: string): boolean =>
  snapshot.deployments.some((deployment) => isShort(snapshot, deployment, now))

/** What a call of ours to the cluster's API came to. `doubt`: something of ours failed, which says nothing of the cluster. */
export type Probe = { outcome: 'ok' } | { outcome: 'fault' | 'doubt'; message: string; isOther?: true }

/** Most nodes that the reason map names, sick ones first, and longest reason: the stored item stays small. */
const NODES_IN_REASON_MAX = 100
const REASON_MAX = 300

const makerOfMachine = ({ controlPlane, deployments }: Snapshot, { metadata }: Machine): CapiObject | undefined => {
  if (CONTROL_PLANE_LABEL in metadata.labels) return controlPlane
  const name = metadata.labels[DEPLOYMENT_NAME_LABEL]
  return deployments.find((deployment) => deployment.metadata.labels[DEPLOYMENT_NAME_LABEL] === name)
}

/** Not healthy although nothing is being done to it: machines that come, go or are replaced are not yet, or no longer, healthy. */
const isSick = (snapshot: Snapshot, machine: Machine, now: string): boolean => {
  if (isLeaving(machine) || isTrue(machine, 'NodeHealthy') || isComing(machine, now)) return false
  const maker = makerOfMachine(snapshot, machine)
  return maker === undefined || !isChanging(maker)
}

/** What `Available` of a Cluster sums up beside its workers. */
const BESIDE_WORKERS = ['InfrastructureReady', 'ControlPlaneAvailable']

/** Available, or all but workers that come. */
const isAvailable = (cluster: CapiCluster, snapshot: Snapshot, now: string): boolean => {
  if (isTrue(cluster, 'Available')) return true
  const isWorkers = conditionOf(cluster, 'WorkersAvailable')?.status === 'False'
  const others = BESIDE_WORKERS.every((type) => (conditionOf(cluster, type)?.status ?? 'True') === 'True')
  // An upgrade that goes on, or is put off, is no fault.
  const isMade = conditionOf(cluster, 'TopologyReconciled')?.reason !== 'ReconcileFailed'
  return isWorkers && others && isMade && !areWorkersShort(snapshot, now)
}

const statusFor = (snapshot: Snapshot, probe: Probe, now: string): HealthStatus => {
  const { cluster, machines } = snapshot
  if (cluster === undefined) return 'UNHEALTHY'
  // Cluster API does not reach it, and that may be its own fault: ours is the second opinion.
  if (!isTrue(cluster, 'RemoteConnectionProbe')) return probe.outcome === 'fault' ? 'UNHEALTHY' : 'UNKNOWN'
  if (probe.outcome === 'fault' || !isAvailable(cluster, snapshot, now)) return 'UNHEALTHY'
  return machines.some((machine) => isSick(snapshot, machine, now)) ? 'UNHEALTHY' : 'HEALTHY'
}

const shortened = (text: string): string => {
  const line = inOneLine(text)
  return line.length > REASON_MAX ? `${line.slice(0, REASON_MAX - 1)}…` : line
}

/** What is not well in the whole, each under Magnum's name for the part. */
const PARTS = [
  ['connection', 'RemoteConnectionProbe'],
  ['infrastructure', 'InfrastructureReady'],
  ['controlplane', 'ControlPlaneAvailable'],
  ['nodegroup', 'WorkersAvailable'],
  ['topology', 'TopologyReconciled'],
] as const

const parts = (snapshot: Snapshot, now: string): [string, string][] => {
  const { cluster } = snapshot
  if (cluster === undefined) return []
  return PARTS.flatMap(([part, type]) => {
    const condition = conditionOf(cluster, type)
    const isWell = condition === undefined || condition.status === 'True'
    if (isWell || (part === 'nodegroup' && !areWorkersShort(snapshot, now))) return []
    return [
      [part, shortened(`${condition.reason}: ${inOneLine(condition.message) || `${type} is ${condition.status}`}`)],
    ]
  })
}

const nodeName = ({ metadata, status }: Machine): string => status.nodeRef.name || metadata.name

/** One entry for each node, made anew at each observation, so that none stays of a node that is gone. */
const nodes = (snapshot: Snapshot): [string, string][] => {
  const living = snapshot.machines.filter((machine) => !isLeaving(machine))
  const isWell = (machine: Machine): boolean => isTrue(machine, 'NodeHealthy')
  const named = [...living.filter((machine) => !isWell(machine)), ...living.filter(isWell)].slice(
    0,
    NODES_IN_REASON_MAX,
  )
  return named.map((machine) => [`${nodeName(machine)}.Ready`, isWell(machine) ? 'True' : 'False'])
}

/** What an observation of the cluster came to (cluster-api.md 2.3). */
export const observationOf = (snapshot: Snapshot, probe: Probe, observedAt: string): ClusterObservation => ({
  observedAt,
  healthStatus: statusFor(snapshot, probe, observedAt),
  healthReason: {
    api: probe.outcome === 'ok' ? 'ok' : shortened(probe.message),
    ...Object.fromEntries([...parts(snapshot, observedAt), ...nodes(snapshot)]),
  },
  version: versionOf(snapshot),
  nodeCount: snapshot.deployments.reduce((sum, { status }) => sum + status.replicas, 0),
  masterCount: snapshot.controlPlane?.status.replicas ?? 0,
})
