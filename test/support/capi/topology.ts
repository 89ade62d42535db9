import type { Cluster as Store } from '../../../simulated-kubernetes/cluster.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import {
  countersOf,
  isCurrent,
  isUp,
  type Maker,
  machinesBy,
  reconcileMachines,
  type SimulatedMachine,
} from './machines.ts'
import {
  CLUSTERS,
  type ClusterSpec,
  CONTROL_PLANE,
  CONTROL_PLANES,
  DEFER_UPGRADE,
  DEPLOYMENT_NAME,
  DEPLOYMENTS,
  type Entry,
  type MachineSpec,
  type MakerSpec,
  make,
  ofCluster,
  report,
  respec,
  specOf,
  suffix,
} from './objects.ts'

export type SimulatedTopology = SimulatedMachine & {
  /** False: Cluster API can't connect to the cluster. */
  isReachable(cluster: ApiObject): boolean
  /** Why the topology controller fails; undefined: it does not. */
  topologyFault(cluster: ApiObject): string | undefined
  /** Of Cluster API: 1.13 tells versions in the control plane only. */
  minor: 13 | 14
}

const planeOf = (store: Store, cluster: ApiObject): ApiObject | undefined =>
  ofCluster(store, CONTROL_PLANES, cluster)[0]

const planeMaker = (object: ApiObject): Maker => ({
  object,
  labels: { [CONTROL_PLANE]: '' },
  prefix: object.metadata.name,
  waitsForNodes: true,
})

const entryName = ({ metadata }: ApiObject): string => metadata.labels?.[DEPLOYMENT_NAME] ?? ''

const deploymentMaker = (object: ApiObject): Maker => ({
  object,
  labels: { [DEPLOYMENT_NAME]: entryName(object) },
  prefix: object.metadata.name,
})

const ensurePlane = (store: Store, cluster: ApiObject): ApiObject => {
  const { version, controlPlane = {}, variables = [] } = specOf<ClusterSpec>(cluster).topology
  const machineTemplate = JSON.stringify(variables.find(({ name }) => name === 'controlPlaneMachine')?.value ?? null)
  const spec = { replicas: controlPlane.replicas ?? 1, version, machineTemplate }
  const found = planeOf(store, cluster)
  if (found !== undefined) return respec(store, CONTROL_PLANES, found, spec)
  return make(
    store,
    CONTROL_PLANES,
    { owner: cluster, cluster },
    {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmControlPlane',
      name: `${cluster.metadata.name}-${suffix()}`,
      finalizer: 'kubeadm.controlplane.cluster.x-k8s.io',
      fields: { spec, status: {} },
    },
  )
}

/** All its machines are there, up, and of its version. */
const isComplete = (store: Store, cluster: ApiObject, maker: Maker): boolean => {
  const { replicas } = specOf<MakerSpec>(maker.object)
  const machines = machinesBy(store, cluster, maker.labels)
  return machines.length === replicas && machines.every((machine) => isUp(machine) && isCurrent(maker, machine))
}

type TopologyState = 'ReconcileSucceeded' | 'MachineDeploymentsUpgradeDeferred' | 'ClusterUpgrading'
type DeploymentSpec = { replicas: number; template: { spec: { version: string } } }

const versionIn = (deployment: ApiObject): string => specOf<DeploymentSpec>(deployment).template.spec.version

/** The same shape as a control plane's, for what makes machines. */
const flat = (deployment: ApiObject): ApiObject => ({
  ...deployment,
  spec: { ...specOf<DeploymentSpec>(deployment), version: versionIn(deployment) },
})

const ensureDeployment = (store: Store, cluster: ApiObject, entry: Entry, version: string): void => {
  const found = ofCluster(store, DEPLOYMENTS, cluster).find((deployment) => entryName(deployment) === entry.name)
  const template = { spec: { clusterName: cluster.metadata.name, version } }
  if (found !== undefined) {
    respec(store, DEPLOYMENTS, found, { replicas: entry.replicas ?? specOf<MakerSpec>(found).replicas, template })
    return
  }
  make(
    store,
    DEPLOYMENTS,
    { owner: cluster, cluster },
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDeployment',
      name: `${cluster.metadata.name}-${entry.name}-${suffix()}`,
      labels: { ...entry.metadata?.labels, [DEPLOYMENT_NAME]: entry.name },
      finalizer: 'cluster.x-k8s.io/machinedeployment',
      fields: { spec: { clusterName: cluster.metadata.name, replicas: entry.replicas ?? 1, template }, status: {} },
    },
  )
}

const removeDeployment = (store: Store, cluster: ApiObject, deployment: ApiObject): void => {
  respec(store, DEPLOYMENTS, deployment, { replicas: 0 })
  if (machinesBy(store, cluster, deploymentMaker(deployment).labels).length > 0) return
  store.store.remove(DEPLOYMENTS, deployment.metadata.name, deployment.metadata.namespace)
}

const isDeferred = ({ metadata }: Entry): boolean => metadata?.annotations?.[DEFER_UPGRADE] !== undefined

const entriesOf = (cluster: ApiObject): Entry[] =>
  specOf<ClusterSpec>(cluster).topology.workers?.machineDeployments ?? []

/** What the topology controller says of an upgrade: some are on their way, or only those are left that wait for one of their own. */
const upgradeState = (cluster: ApiObject, deployments: readonly ApiObject[]): TopologyState => {
  const { version } = specOf<ClusterSpec>(cluster).topology
  const older = deployments.filter((deployment) => versionIn(deployment) !== version)
  const deferred = entriesOf(cluster).filter(isDeferred)
  if (older.length === 0) return 'ReconcileSucceeded'
  const isWaiting = (deployment: ApiObject): boolean => deferred.some(({ name }) => name === entryName(deployment))
  return older.every(isWaiting) ? 'MachineDeploymentsUpgradeDeferred' : 'ClusterUpgrading'
}

/** Workers follow the control plane; what is not in the topology any more goes. */
const reconcileWorkers = (store: Store, cluster: ApiObject, planeIsDone: boolean): void => {
  const { version } = specOf<ClusterSpec>(cluster).topology
  const entries = entriesOf(cluster)
  for (const deployment of ofCluster(store, DEPLOYMENTS, cluster)) {
    if (!entries.some(({ name }) => name === entryName(deployment))) removeDeployment(store, cluster, deployment)
  }
  for (const entry of entries) {
    const found = ofCluster(store, DEPLOYMENTS, cluster).find((deployment) => entryName(deployment) === entry.name)
    // As in the real one, nothing of a MachineDeployment changes before its version may.
    const isPending = found !== undefined && versionIn(found) !== version && (!planeIsDone || isDeferred(entry))
    if (!isPending) ensureDeployment(store, cluster, entry, version)
  }
}

const reportPlane = (store: Store, cluster: ApiObject, plane: ApiObject): void => {
  const { machines, rollingOut, ...counters } = countersOf(store, cluster, planeMaker(plane))
  const isDone = counters.availableReplicas >= specOf<MakerSpec>(plane).replicas
  const versions = machines.filter(isUp).map((machine) => specOf<MachineSpec>(machine).version)
  const message = isDone ? '' : '* Control plane metadata:\n  * Waiting for machines to be up'
  report(store, CONTROL_PLANES, plane, {
    ...counters,
    version: versions.toSorted()[0] ?? '',
    conditions: [
      { type: 'Available', status: isDone, reason: isDone ? 'Available' : 'NotAvailable', message },
      { type: 'MachinesReady', status: isDone, reason: isDone ? 'Ready' : 'NotReady' },
      { type: 'RollingOut', status: rollingOut },
      { type: 'ScalingUp', status: counters.replicas < specOf<MakerSpec>(plane).replicas },
      { type: 'ScalingDown', status: counters.replicas > specOf<MakerSpec>(plane).replicas },
    ],
  })
}

const trouble = (machines: readonly ApiObject[]): string =>
  machines
    .flatMap(({ metadata, status }) => {
      const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string; message: string }[] }
      const ready = conditions.find(({ type }) => type === 'Ready')
      return ready === undefined || ready.status === 'True' ? [] : [`* Machine ${metadata.name}: ${ready.message}`]
    })
    .join('\n')

const reportDeployment = (store: Store, cluster: ApiObject, deployment: ApiObject): boolean => {
  const { machines, rollingOut, ...counters } = countersOf(store, cluster, deploymentMaker(flat(deployment)))
  const { replicas } = specOf<MakerSpec>(deployment)
  const isDone = counters.availableReplicas >= replicas
  report(store, DEPLOYMENTS, deployment, {
    ...counters,
    phase: counters.replicas === replicas ? 'Running' : 'ScalingUp',
    conditions: [
      { type: 'Available', status: isDone },
      { type: 'MachinesReady', status: isDone, reason: isDone ? 'Ready' : 'NotReady', message: trouble(machines) },
      { type: 'RollingOut', status: rollingOut },
      { type: 'ScalingUp', status: counters.replicas < replicas },
      { type: 'ScalingDown', status: counters.replicas > replicas },
    ],
  })
  return isDone
}

const reportCluster = (
  store: Store,
  play: SimulatedTopology,
  cluster: ApiObject,
  seen: { planeIsUp: boolean; workersAreUp: boolean; topology: TopologyState; versions: string[] },
): void => {
  const hasEndpoint = specOf<ClusterSpec>(cluster).controlPlaneEndpoint !== undefined
  const isReached = hasEndpoint && play.isReachable(cluster)
  const fault = play.topologyFault(cluster)
  const isAvailable = isReached && seen.planeIsUp && seen.workersAreUp && fault === undefined
  report(store, CLUSTERS, cluster, {
    phase: hasEndpoint ? 'Provisioned' : 'Provisioning',
    ...(play.minor === 14
      ? { controlPlane: { versions: seen.versions.map((version) => ({ version, replicas: 1 })) } }
      : {}),
    conditions: [
      { type: 'Available', status: isAvailable, reason: isAvailable ? 'Available' : 'NotAvailable' },
      { type: 'InfrastructureReady', status: hasEndpoint, reason: hasEndpoint ? 'Ready' : 'NotReady' },
      { type: 'ControlPlaneAvailable', status: seen.planeIsUp },
      { type: 'WorkersAvailable', status: seen.workersAreUp },
      { type: 'RemoteConnectionProbe', status: isReached, reason: isReached ? 'ProbeSucceeded' : 'ProbeFailed' },
      fault === undefined
        ? { type: 'TopologyReconciled', status: seen.topology === 'ReconcileSucceeded', reason: seen.topology }
        : { type: 'TopologyReconciled', status: false, reason: 'ReconcileFailed', message: fault },
    ],
  })
}

/** One step of everything that belongs to a cluster, but its infrastructure. */
export const reconcileTopology = (store: Store, play: SimulatedTopology, found: ApiObject): void => {
  const fresh = (): ApiObject =>
    store.store.get(CLUSTERS, found.metadata.name, found.metadata.namespace)?.object ?? found
  if (play.topologyFault(found) === undefined) {
    const plane = ensurePlane(store, found)
    reconcileWorkers(store, found, isComplete(store, found, planeMaker(plane)))
  }
  const plane = planeOf(store, found)
  if (plane !== undefined) reconcileMachines(store, play, found, planeMaker(plane))
  for (const deployment of ofCluster(store, DEPLOYMENTS, found)) {
    reconcileMachines(store, play, found, deploymentMaker(flat(deployment)))
  }
  tell(store, play, fresh())
}

const tell = (store: Store, play: SimulatedTopology, cluster: ApiObject): void => {
  const plane = planeOf(store, cluster)
  if (plane !== undefined) reportPlane(store, cluster, plane)
  const deployments = ofCluster(store, DEPLOYMENTS, cluster)
  const done = deployments.map((deployment) => reportDeployment(store, cluster, deployment))
  const machines = plane === undefined ? [] : machinesBy(store, cluster, planeMaker(plane).labels).filter(isUp)
  reportCluster(store, play, cluster, {
    planeIsUp: plane !== undefined && machines.length >= specOf<MakerSpec>(plane).replicas,
    workersAreUp: done.every(Boolean),
    topology: upgradeState(cluster, deployments),
    versions: [...new Set(machines.map((machine) => specOf<MachineSpec>(machine).version))],
  })
}

/** One step of taking a cluster down: workers, then the control plane. True when neither is left. */
export const takeDown = (store: Store, play: SimulatedTopology, cluster: ApiObject): boolean => {
  const told = (reason: string): void => {
    report(store, CLUSTERS, cluster, {
      conditions: [{ type: 'Deleting', status: true, reason, message: `Waiting: ${reason}` }],
    })
  }
  const deployments = ofCluster(store, DEPLOYMENTS, cluster)
  for (const deployment of deployments) {
    reconcileMachines(
      store,
      play,
      cluster,
      deploymentMaker({ ...flat(deployment), spec: { replicas: 0, version: versionIn(deployment) } }),
    )
    removeDeployment(store, cluster, deployment)
  }
  if (deployments.length > 0) {
    told('WaitingForWorkersDeletion')
    return false
  }
  const plane = planeOf(store, cluster)
  if (plane === undefined) return true
  const maker = planeMaker({ ...plane, spec: { ...specOf<MakerSpec>(plane), replicas: 0 } })
  reconcileMachines(store, play, cluster, maker)
  if (machinesBy(store, cluster, maker.labels).length === 0) {
    store.store.remove(CONTROL_PLANES, plane.metadata.name, plane.metadata.namespace)
  }
  told('WaitingForControlPlaneDeletion')
  return false
}
