import { createHash } from 'node:crypto'
import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { Resource } from '../../../../../kubernetes/client.ts'
import { storedNames } from './state.schema.ts'

const CORE = { group: 'cluster.x-k8s.io', version: 'v1beta2' }
const CONTROL_PLANE = { group: 'controlplane.cluster.x-k8s.io', version: 'v1beta2' }

export const clusters = (namespace: string): Resource => ({ ...CORE, plural: 'clusters', namespace })
export const machineDeployments = (namespace: string): Resource => ({
  ...CORE,
  plural: 'machinedeployments',
  namespace,
})
export const machines = (namespace: string): Resource => ({ ...CORE, plural: 'machines', namespace })
export const controlPlanes = (namespace: string): Resource => ({
  ...CONTROL_PLANE,
  plural: 'kubeadmcontrolplanes',
  namespace,
})
/** What CAPO makes machines by: 0.12 and newer. */
export const openStackServers = (namespace: string): Resource => ({
  group: 'infrastructure.cluster.x-k8s.io',
  version: 'v1alpha1',
  plural: 'openstackservers',
  namespace,
})

/** Cluster API's label of all that belongs to one cluster: its name. */
export const CLUSTER_NAME_LABEL = 'cluster.x-k8s.io/cluster-name'
/** On MachineDeployments, MachineSets and Machines of a topology: the name of the entry. */
export const DEPLOYMENT_NAME_LABEL = 'topology.cluster.x-k8s.io/deployment-name'
/** On machines of the control plane. */
export const CONTROL_PLANE_LABEL = 'cluster.x-k8s.io/control-plane'
/** Annotation of machines that go first when there are fewer to be. */
export const DELETE_MACHINE = 'cluster.x-k8s.io/delete-machine'

/** Label and annotation that name the project of a namespace; the annotation has its id exactly. */
export const PROJECT_LABEL = 'fedplane.io/project'
/** Label of everything that is one cluster's in the management cluster: its id. */
export const CLUSTER_LABEL = 'fedplane.io/cluster'
/** Label of a node group's entry, and so of its MachineDeployment, MachineSets and Machines: its id. */
export const NODE_GROUP_LABEL = 'fedplane.io/node-group'

/** Names of a cluster in its management cluster. Life stores them (`driverState`) before anything else, since users rename clusters. */
export type ClusterNames = {
  /** Of the `Cluster`, and prefix of all that is made for it: 33 characters at most, so that machine names stay within 63. */
  cluster: string
  namespace: string
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const NAME_MAX = 24
const GROUP_NAME_MAX = 24
const PROJECT_MAX = 40

/** Eight characters of RFC 4648 base32 for the last 40 bits: those of a UUIDv7 are random, and its first are a time. */
const base32 = (hex: string): string => {
  const bits = BigInt(`0x${hex.slice(-10)}`)
  return Array.from({ length: 8 }, (_, index) => ALPHABET[Number((bits >> BigInt(5 * (7 - index))) & 31n)]).join('')
}

/** Lower-case letters and digits with single dashes between, at most `max` characters; may be empty. */
const sanitised = (text: string, max: number): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, max)
    .replace(/-+$/, '')

const beginsWithLetter = (text: string): boolean => /^[a-z]/.test(text)

/** The project's part of a namespace. What had to be changed gets a hash, so that two projects never share a namespace. */
const projectName = (projectId: string): string => {
  const plain = sanitised(projectId, PROJECT_MAX)
  if (plain === projectId) return plain
  const hash = base32(createHash('sha256').update(projectId).digest('hex'))
  return plain === '' ? hash : `${plain.slice(0, PROJECT_MAX - 9)}-${hash}`
}

/** What a cluster's names would be now. */
const derivedNames = ({ id, name, projectId }: Cluster, prefix: string): ClusterNames => {
  const plain = sanitised(name, NAME_MAX)
  return {
    cluster: `${beginsWithLetter(plain) ? plain : 'c'}-${base32(id.replaceAll('-', ''))}`,
    namespace: `${prefix}-${projectName(projectId)}`,
  }
}

/**
 * Names of a cluster: those that were stored, else derived from its name, id and project. `options`: of its management cluster's registration.
 */
export const clusterNames = (cluster: Cluster, options: Readonly<Record<string, string>>): ClusterNames =>
  storedNames(cluster) ?? derivedNames(cluster, classNamespaceOf(options))

/** Of namespaces when the registration names none. */
const DEFAULT_NAMESPACE_PREFIX = 'fedplane'

/**
 * Namespace of the classes, one for all projects: the prefix of projects' namespaces by itself, which none of them is. `options`: of the management
 * cluster's registration.
 */
export const classNamespaceOf = (options: Readonly<Record<string, string>>): string =>
  options.namespace_prefix ?? DEFAULT_NAMESPACE_PREFIX

/**
 * Name of a worker group's entry in the topology: its own name, sanitised, and its number, which no other group of the cluster has. It is the value of
 * the label `topology.cluster.x-k8s.io/deployment-name` of all that is made of it.
 */
export const machineDeploymentName = ({ name, number }: Pick<NodeGroup, 'name' | 'number'>): string =>
  `${sanitised(name, GROUP_NAME_MAX) || 'group'}-${number}`

/** Annotation of an entry whose group stays at its version while the cluster is upgraded. */
export const DEFER_UPGRADE = 'topology.cluster.x-k8s.io/defer-upgrade'

/** Secret with `clouds.yaml`. */
export const cloudSecretName = ({ cluster }: ClusterNames): string => `${cluster}-cloud-config`
