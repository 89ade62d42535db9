import type { Resource } from '../../../../../kubernetes/client.ts'

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
