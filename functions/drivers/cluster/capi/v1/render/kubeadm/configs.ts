import type { JsonObject } from '../../../../../../core/values/json.ts'
import { apiServerPortOf } from '../api-server-port.ts'
import { compact } from '../compact.ts'
import { disksOf, ETCD_MOUNT } from '../volumes.ts'
import type { GroupWish } from '../wish.ts'
import { apiServerConfig, apiServerFiles } from './api-server.ts'
import { machineConfig, nodeRegistration } from './machine.ts'

/** `kubeadmConfigSpec` of the control plane. */
export const controlPlaneConfig = (wish: GroupWish): JsonObject => {
  const { values, plan } = wish
  const registration = nodeRegistration(wish)
  const hasEtcdDisk = disksOf(wish).some(({ name }) => name === 'etcd')
  const isOpenStack = plan.infrastructure === 'openstack'
  // Cluster API tells kubeadm nothing of the port (its issue 1970), and CAPO's load balancer goes to the one that it listens on itself.
  const localAPIEndpoint = isOpenStack ? { bindPort: apiServerPortOf(plan) } : undefined
  return compact({
    clusterConfiguration: {
      imageRepository: values.container_infra_prefix,
      apiServer: apiServerConfig(values),
      controllerManager: isOpenStack ? { extraArgs: [{ name: 'cloud-provider', value: 'external' }] } : undefined,
      etcd: hasEtcdDisk ? { local: { dataDir: `${ETCD_MOUNT}/etcd` } } : undefined,
    },
    initConfiguration: { nodeRegistration: registration, localAPIEndpoint },
    joinConfiguration: { nodeRegistration: registration, controlPlane: { localAPIEndpoint } },
    ...machineConfig(wish, apiServerFiles(values)),
  })
}

/** `spec` of the KubeadmConfigs of a worker group. */
export const workerConfig = (wish: GroupWish): JsonObject =>
  compact({
    joinConfiguration: { nodeRegistration: nodeRegistration(wish) },
    ...machineConfig(wish, []),
  })
