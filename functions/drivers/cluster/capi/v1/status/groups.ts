import type { ClusterEndpoint } from '../../../../../core/cluster/cluster.ts'
import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { NodeGroupResult } from '../../../../contract/cluster-driver.ts'
import { type ControlPlane, isLeaving, type Machine, type MachineDeployment } from '../management/objects.schema.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { CONTROL_PLANE_LABEL, DEFER_UPGRADE, DEPLOYMENT_NAME_LABEL, machineDeploymentName } from '../model/names.ts'

export const deploymentOf = ({ deployments }: Snapshot, group: NodeGroup): MachineDeployment | undefined =>
  deployments.find(({ metadata }) => metadata.labels[DEPLOYMENT_NAME_LABEL] === machineDeploymentName(group))

/** The version that the control plane is on its way to; undefined when all its machines have it. */
export const versionUnderway = ({ cluster, controlPlane, machines }: Snapshot): string | undefined => {
  const version = cluster?.spec.topology?.version
  if (version === undefined || controlPlane === undefined) return undefined
  const masters = machines.filter((machine) => CONTROL_PLANE_LABEL in machine.metadata.labels && !isLeaving(machine))
  const versions = [controlPlane.spec.version, ...masters.map(({ spec }) => spec.version)]
  return versions.every((one) => one === '' || one === version) ? undefined : version
}

/**
 * True for a group of which Cluster API changes nothing: an upgrade of the cluster has left it at its version, or waits for the control plane before it comes
 * to the group.
 */
export const isDeferred = (snapshot: Snapshot, group: NodeGroup): boolean => {
  const topology = snapshot.cluster?.spec.topology
  const entry = topology?.workers.machineDeployments.find(({ name }) => name === machineDeploymentName(group))
  const deployment = deploymentOf(snapshot, group)
  if (topology === undefined || entry === undefined || deployment === undefined) return false
  const waits = DEFER_UPGRADE in entry.metadata.annotations || versionUnderway(snapshot) !== undefined
  return waits && deployment.spec.template.spec.version !== topology.version
}

/** What makes the group's machines. */
export const makerOf = (snapshot: Snapshot, group: NodeGroup): ControlPlane | MachineDeployment | undefined =>
  isMaster(group) ? snapshot.controlPlane : deploymentOf(snapshot, group)

/** Machines of a group, also those that are on their way out, oldest first. */
export const machinesOf = ({ machines }: Snapshot, group: NodeGroup): Machine[] => {
  const isOwn = ({ metadata: { labels } }: Machine): boolean =>
    isMaster(group) ? CONTROL_PLANE_LABEL in labels : labels[DEPLOYMENT_NAME_LABEL] === machineDeploymentName(group)
  const age = ({ metadata }: Machine): string => `${metadata.creationTimestamp} ${metadata.name}`
  return machines.filter(isOwn).sort((a, b) => (age(a) < age(b) ? -1 : 1))
}

/** Those that stay. */
export const livingMachines = (snapshot: Snapshot, group: NodeGroup): Machine[] =>
  machinesOf(snapshot, group).filter((machine) => !isLeaving(machine))

/** How many machines the group is to have, as Cluster API has it: an autoscaler changes that. Undefined before there is anything of it. */
export const replicasOf = (snapshot: Snapshot, group: NodeGroup): number | undefined =>
  makerOf(snapshot, group)?.spec.replicas

/** What people reach a machine by, best first. */
const TYPES = ['ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS', 'Hostname'] as const

/**
 * One address of a machine. Infrastructures that tell none (the in-memory one) have their nodes' names in its place; undefined before
 * there is either.
 */
export const addressOf = ({ status }: Machine): string | undefined => {
  const found = TYPES.map((type) => status.addresses.find((address) => address.type === type)?.address)
  const [best] = found.filter((address) => address !== undefined && address !== '')
  return best ?? (status.nodeRef.name === '' ? undefined : status.nodeRef.name)
}

/** Everything that a machine may be called by: its and its node's name, addresses, and the id that its cloud knows. */
export const isCalled = ({ metadata, spec, status }: Machine, text: string): boolean => {
  const { providerID } = spec
  const names = [
    metadata.name,
    metadata.uid,
    status.nodeRef.name,
    providerID,
    providerID.slice(providerID.lastIndexOf('/') + 1),
  ]
  const given = text.toLowerCase()
  return (
    given !== '' &&
    [...names, ...status.addresses.map(({ address }) => address)].some((it) => it.toLowerCase() === given)
  )
}

const NUMBERS = /^v?(\d+)\.(\d+)\.(\d+)/

const rank = (version: string): number => {
  const [, major = 0, minor = 0, patch = 0] = (NUMBERS.exec(version) ?? []).map(Number)
  return (major * 1000 + minor) * 1000 + patch
}

/** The oldest of some versions; null of none. */
const oldest = (versions: readonly string[]): string | null =>
  versions.filter((version) => version !== '').toSorted((a, b) => rank(a) - rank(b))[0] ?? null

/**
 * Version of the control plane: the oldest that the Cluster tells. Cluster API 1.13 tells it in the control plane itself only, which 1.14 has
 * deprecated.
 */
export const versionOf = ({ cluster, controlPlane }: Snapshot): string | null =>
  oldest(cluster?.status.controlPlane.versions.map(({ version }) => version) ?? []) ??
  oldest([controlPlane?.status.version ?? ''])

/** Version of a group's nodes: the oldest among its machines; of a group without any, the one that new ones would have. */
export const versionOfGroup = (snapshot: Snapshot, group: NodeGroup): string | null =>
  oldest(livingMachines(snapshot, group).map(({ spec }) => spec.version)) ??
  (isMaster(group) ? versionOf(snapshot) : oldest([deploymentOf(snapshot, group)?.spec.template.spec.version ?? '']))

/** What there is of a group now: addresses and version. */
export const groupResult = (snapshot: Snapshot, group: NodeGroup): NodeGroupResult => {
  const version = versionOfGroup(snapshot, group)
  return {
    id: group.id,
    nodeAddresses: livingMachines(snapshot, group).flatMap((machine) => addressOf(machine) ?? []),
    ...(version === null ? {} : { version }),
  }
}

/** The same with the count that Cluster API wants by now: an autoscaler may have changed it. Nothing of a group that is not there. */
export const countedResult = (snapshot: Snapshot, group: NodeGroup): NodeGroupResult[] => {
  const nodeCount = replicasOf(snapshot, group)
  return nodeCount === undefined ? [] : [{ ...groupResult(snapshot, group), nodeCount }]
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Where the API server is, as soon as that is known. `caPem`: of the cluster's authority. */
export const endpointIn = ({ cluster }: Snapshot, caPem: string | null): ClusterEndpoint | undefined => {
  const { host, port } = cluster?.spec.controlPlaneEndpoint ?? { host: '', port: 0 }
  if (host === '' || port === 0) return undefined
  return {
    server: `https://${bracketed(host)}:${port}`,
    serverForPeers: null,
    caPem,
    tlsServerName: null,
    tlsVerify: true,
  }
}
