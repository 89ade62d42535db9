import type { JsonObject } from '../../../../../core/values/json.ts'
import type { Infrastructure } from '../model/infrastructure.ts'
import { openStackClusterSpec, openStackMachineSpec } from './openstack.ts'
import type { DesiredCluster, DesiredGroup } from './plan.ts'

/** `spec` of DevMachines: how long each of a machine's parts pretends to start. A control plane has an API server and etcd, too. */
const devMachineSpec = ({ own, isMaster }: DesiredGroup): JsonObject => {
  const start = { provisioning: { startupDuration: `${own.dev_startup_seconds}s` } }
  const parts = isMaster ? ['vm', 'node', 'apiServer', 'etcd'] : ['vm', 'node']
  return { backend: { inMemory: Object.fromEntries(parts.map((part) => [part, start])) } }
}

/** What is different from one infrastructure to the next. */
export type InfrastructureKind = {
  apiVersion: string
  /** Kinds, without `Template`; plurals of the templates. */
  cluster: { kind: string; plural: string; placeholder: JsonObject }
  machine: { kind: string; plural: string; placeholder: JsonObject }
  /** Undefined: there is nothing to say of it, the class says all. */
  clusterSpec: ((desired: DesiredCluster) => JsonObject) | undefined
  machineSpec(desired: DesiredGroup): JsonObject
}

const START = { provisioning: { startupDuration: '1s' } }

export const INFRASTRUCTURE_KINDS: Readonly<Record<Infrastructure, InfrastructureKind>> = {
  openstack: {
    // Served by CAPO 0.14 (the only one there) and by 0.15, which stores v1beta2.
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
    cluster: {
      kind: 'OpenStackCluster',
      plural: 'openstackclustertemplates',
      placeholder: { identityRef: { type: 'Secret', name: 'placeholder', cloudName: 'placeholder' } },
    },
    machine: {
      kind: 'OpenStackMachine',
      plural: 'openstackmachinetemplates',
      placeholder: { flavor: 'placeholder', image: { filter: { name: 'placeholder' } } },
    },
    clusterSpec: openStackClusterSpec,
    machineSpec: openStackMachineSpec,
  },
  dev: {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    cluster: { kind: 'DevCluster', plural: 'devclustertemplates', placeholder: { backend: { inMemory: {} } } },
    machine: {
      kind: 'DevMachine',
      plural: 'devmachinetemplates',
      placeholder: { backend: { inMemory: { vm: START, node: START } } },
    },
    clusterSpec: undefined,
    machineSpec: devMachineSpec,
  },
}
