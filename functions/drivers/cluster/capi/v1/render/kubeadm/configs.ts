import type { JsonObject } from '../../../../../../domain/json.ts'
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
  return compact({
    clusterConfiguration: {
      imageRepository: values.container_infra_prefix,
      apiServer: apiServerConfig(values),
      controllerManager: isOpenStack ? { extraArgs: [{ name: 'cloud-provider', value: 'external' }] } : undefined,
      etcd: hasEtcdDisk ? { local: { dataDir: `${ETCD_MOUNT}/etcd` } } : undefined,
    },
    initConfiguration: { nodeRegistration: registration },
    joinConfiguration: { nodeRegistration: registration },
    ...machineConfig(wish, apiServerFiles(values)),
  })
}

/** `spec` of the KubeadmConfigs of a worker group. */
export const workerConfig = (wish: GroupWish): JsonObject =>
  compact({
    joinConfiguration: { nodeRegistration: nodeRegistration(wish) },
    ...machineConfig(wish, []),
  })
