import type { Cluster as Store } from '../../../simulated-kubernetes/cluster.ts'
import { startDeletion } from '../../../simulated-kubernetes/deletion.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import {
  DELETE_MACHINE,
  dropFinalizers,
  isLeaving,
  MACHINES,
  type MachineSpec,
  type MakerSpec,
  make,
  ofCluster,
  report,
  respec,
  specOf,
  statusOf,
  suffix,
} from './objects.ts'

/** What becomes of a machine: it comes up, or says for ever why it does not. */
export type MachineFate = 'up' | { reason: string; message: string }

export type SimulatedMachine = {
  machineFate(machine: ApiObject): MachineFate
  /** The cluster's own store, once its API server runs: nodes are put there. */
  workload(cluster: ApiObject): Store | undefined
  /** Counts machines, for addresses that none has twice. */
  next(): number
}

type Status = { nodeRef: { name: string }; addresses: { type: string; address: string }[]; provisioned: boolean }

export const isUp = (machine: ApiObject): boolean => statusOf<Status>(machine).nodeRef !== undefined

const NODES = { group: '', plural: 'nodes' }

/** Those that a maker has, by its labels. */
export const machinesBy = (store: Store, cluster: ApiObject, labels: Record<string, string>): ApiObject[] =>
  ofCluster(store, MACHINES, cluster).filter(({ metadata }) =>
    Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
  )

const bootNode = (play: SimulatedMachine, cluster: ApiObject, machine: ApiObject): void => {
  const workload = play.workload(cluster)
  const { name, uid = '', creationTimestamp = '', labels = {} } = machine.metadata
  const isPlane = 'cluster.x-k8s.io/control-plane' in labels
  workload?.store.put(NODES, {
    object: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        uid: `node-${uid}`,
        creationTimestamp,
        labels: isPlane ? { 'node-role.kubernetes.io/control-plane': '' } : {},
      },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    },
    ownership: new Map(),
  })
}

type Wait = { reason: string; message: string; isCurrent: boolean }

const waiting = (store: Store, machine: ApiObject, { reason, message, isCurrent: isWanted }: Wait): void => {
  report(store, MACHINES, machine, {
    conditions: [
      { type: 'UpToDate', status: isWanted },
      { type: 'InfrastructureReady', status: false, reason, message },
      { type: 'Ready', status: false, reason, message },
      { type: 'NodeHealthy', status: 'Unknown', reason: 'NodeDoesNotExist', message: 'Node does not exist' },
    ],
  })
}

type Living = { machine: ApiObject; maker: Maker }

/** One step of one machine's life. */
const live = (store: Store, play: SimulatedMachine, cluster: ApiObject, { machine, maker }: Living): void => {
  if (isLeaving(machine)) {
    play.workload(cluster)?.store.remove(NODES, machine.metadata.name)
    dropFinalizers(store, MACHINES, machine)
    return
  }
  if (isUp(machine) || play.workload(cluster) === undefined) return
  const fate = play.machineFate(machine)
  if (fate !== 'up') {
    waiting(store, machine, { ...fate, isCurrent: isCurrent(maker, machine) })
    return
  }
  bootNode(play, cluster, machine)
  const { name } = machine.metadata
  const told = respec(store, MACHINES, machine, { providerID: `simulated:///${name}` })
  const number = play.next()
  report(store, MACHINES, told, {
    nodeRef: { name },
    addresses: [
      { type: 'Hostname', address: name },
      { type: 'InternalIP', address: `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}` },
    ],
    conditions: [
      { type: 'Ready', status: true },
      { type: 'NodeHealthy', status: true, reason: 'NodeHealthy' },
    ],
  })
}

/** Marked ones go first, then the oldest: no caller may count on the youngest. */
const goesBefore = (a: ApiObject, b: ApiObject): number => {
  const rank = ({ metadata }: ApiObject): number => (metadata.annotations?.[DELETE_MACHINE] === undefined ? 1 : 0)
  return rank(a) - rank(b) || ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1)
}

export type Maker = {
  object: ApiObject
  labels: Record<string, string>
  prefix: string
  /** As a control plane does: replaces nothing while one of its machines has no node. */
  waitsForNodes?: true
}

/** True when nothing has to replace it. */
export const isCurrent = ({ object }: Maker, machine: ApiObject): boolean => {
  const [wanted, { version, machineTemplate }] = [specOf<MakerSpec>(object), specOf<MachineSpec>(machine)]
  return version === wanted.version && machineTemplate === wanted.machineTemplate
}

/**
 * One step towards the machines that a maker is to have: as many as it says, all of its version and template. Others stay until the new ones are
 * up.
 */
export const reconcileMachines = (store: Store, play: SimulatedMachine, cluster: ApiObject, maker: Maker): void => {
  const { replicas, version, machineTemplate } = specOf<MakerSpec>(maker.object)
  for (const machine of machinesBy(store, cluster, maker.labels)) live(store, play, cluster, { machine, maker })
  const living = machinesBy(store, cluster, maker.labels).filter((machine) => !isLeaving(machine))
  const current = living.filter((machine) => isCurrent(maker, machine))
  if (maker.waitsForNodes && living.some((machine) => !isUp(machine) && !current.includes(machine))) return
  for (let missing = replicas - current.length; missing > 0; missing -= 1) {
    make(
      store,
      MACHINES,
      { owner: maker.object, cluster },
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Machine',
        name: `${maker.prefix}-${suffix()}`,
        labels: maker.labels,
        finalizer: 'machine.cluster.x-k8s.io',
        fields: { spec: { clusterName: cluster.metadata.name, version, machineTemplate }, status: {} },
      },
    )
  }
  const surplus = current.toSorted(goesBefore).slice(0, Math.max(0, current.length - replicas))
  const older = current.filter(isUp).length >= replicas ? living.filter((machine) => !current.includes(machine)) : []
  for (const machine of [...surplus, ...older]) startDeletion(store, MACHINES, machine)
}

/** Counters of a maker, as its status has them. */
export const countersOf = (store: Store, cluster: ApiObject, maker: Maker) => {
  const all = machinesBy(store, cluster, maker.labels)
  const up = all.filter((machine) => isUp(machine) && !isLeaving(machine))
  return {
    replicas: all.length,
    readyReplicas: up.length,
    availableReplicas: up.length,
    upToDateReplicas: all.filter((machine) => isCurrent(maker, machine)).length,
    machines: all,
    rollingOut: all.some((machine) => !isCurrent(maker, machine)),
  }
}
