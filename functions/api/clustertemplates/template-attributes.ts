import type { ClusterTemplate, ClusterTemplateSpec } from '../../core/cluster/cluster-template.ts'
import { InvalidRequest } from '../../core/errors.ts'

/** What callers set of a template, under Magnum's names (magnum-rest.md section 5). */
export type TemplateAttributes = {
  name: string | null
  coe: ClusterTemplateSpec['coe']
  image_id: string
  flavor_id: string | null
  master_flavor_id: string | null
  keypair_id: string | null
  external_network_id: string | null
  fixed_network: string | null
  fixed_subnet: string | null
  network_driver: string | null
  volume_driver: string | null
  dns_nameserver: string | null
  apiserver_port: number | null
  docker_volume_size: number | null
  docker_storage_driver: string | null
  /** Null in the answer to the patch that removed them only; stored as none. */
  labels: Readonly<Record<string, string>> | null
  server_type: ClusterTemplateSpec['serverType']
  cluster_distro: string | null
  registry_enabled: boolean
  insecure_registry: string | null
  tls_disabled: boolean
  master_lb_enabled: boolean
  floating_ip_enabled: boolean
  http_proxy: string | null
  https_proxy: string | null
  no_proxy: string | null
  public: boolean
  hidden: boolean
  tags: string | null
}

/** What those have that a create request leaves out, or a patch removes. */
export const DEFAULTS: Omit<TemplateAttributes, 'name' | 'coe' | 'image_id'> = {
  flavor_id: null,
  master_flavor_id: null,
  keypair_id: null,
  external_network_id: null,
  fixed_network: null,
  fixed_subnet: null,
  network_driver: 'flannel',
  volume_driver: null,
  dns_nameserver: null,
  apiserver_port: null,
  docker_volume_size: null,
  docker_storage_driver: null,
  labels: {},
  server_type: 'vm',
  cluster_distro: null,
  registry_enabled: false,
  insecure_registry: null,
  tls_disabled: false,
  master_lb_enabled: false,
  floating_ip_enabled: true,
  http_proxy: null,
  https_proxy: null,
  no_proxy: null,
  public: false,
  hidden: false,
  tags: null,
}

export const attributesOf = (template: ClusterTemplate): TemplateAttributes => ({
  name: template.name,
  coe: template.spec.coe,
  image_id: template.spec.imageId,
  flavor_id: template.spec.flavorId,
  master_flavor_id: template.spec.masterFlavorId,
  keypair_id: template.spec.keypairId,
  external_network_id: template.spec.externalNetworkId,
  fixed_network: template.spec.fixedNetwork,
  fixed_subnet: template.spec.fixedSubnet,
  network_driver: template.spec.networkDriver,
  volume_driver: template.spec.volumeDriver,
  dns_nameserver: template.spec.dnsNameserver,
  apiserver_port: template.spec.apiserverPort,
  docker_volume_size: template.spec.dockerVolumeSize,
  docker_storage_driver: template.spec.dockerStorageDriver,
  labels: template.spec.labels,
  server_type: template.spec.serverType,
  cluster_distro: template.spec.clusterDistro,
  registry_enabled: template.spec.registryEnabled,
  insecure_registry: template.spec.insecureRegistry,
  tls_disabled: template.spec.tlsDisabled,
  master_lb_enabled: template.spec.masterLbEnabled,
  floating_ip_enabled: template.spec.floatingIpEnabled,
  http_proxy: template.spec.httpProxy,
  https_proxy: template.spec.httpsProxy,
  no_proxy: template.spec.noProxy,
  public: template.public,
  hidden: template.hidden,
  tags: template.tags,
})

/** The fields of a template that its attributes say. */
export type TemplateFields = Pick<ClusterTemplate, 'name' | 'spec' | 'public' | 'hidden' | 'tags'>

const specOf = (attributes: TemplateAttributes): ClusterTemplateSpec => ({
  coe: attributes.coe,
  imageId: attributes.image_id,
  flavorId: attributes.flavor_id,
  masterFlavorId: attributes.master_flavor_id,
  keypairId: attributes.keypair_id,
  externalNetworkId: attributes.external_network_id,
  fixedNetwork: attributes.fixed_network,
  fixedSubnet: attributes.fixed_subnet,
  networkDriver: attributes.network_driver,
  volumeDriver: attributes.volume_driver,
  dnsNameserver: attributes.dns_nameserver,
  apiserverPort: attributes.apiserver_port,
  dockerVolumeSize: attributes.docker_volume_size,
  dockerStorageDriver: attributes.docker_storage_driver,
  labels: attributes.labels ?? {},
  serverType: attributes.server_type,
  clusterDistro: attributes.cluster_distro,
  registryEnabled: attributes.registry_enabled,
  insecureRegistry: attributes.insecure_registry,
  tlsDisabled: attributes.tls_disabled,
  masterLbEnabled: attributes.master_lb_enabled,
  floatingIpEnabled: attributes.floating_ip_enabled,
  httpProxy: attributes.http_proxy,
  httpsProxy: attributes.https_proxy,
  noProxy: attributes.no_proxy,
})

export const fieldsOf = (attributes: TemplateAttributes): TemplateFields => ({
  name: attributes.name,
  spec: specOf(attributes),
  public: attributes.public,
  hidden: attributes.hidden,
  tags: attributes.tags,
})

/** `base` with what `given` has besides undefined. */
export const overlay = <T extends object>(base: T, given: { readonly [K in keyof T]?: T[K] | undefined }): T =>
  Object.assign({}, base, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)))

/** GB that the storage driver `devicemapper` needs (magnum-rest.md section 5). */
const DEVICEMAPPER_SIZE_MIN = 3

/** Rules over several attributes. A size that is left out is a cluster's to give. @throws InvalidRequest */
export const requireConsistent = (
  attributes: Pick<TemplateAttributes, 'docker_storage_driver' | 'docker_volume_size'>,
): void => {
  const { docker_storage_driver: storage, docker_volume_size: size } = attributes
  if (storage !== 'devicemapper' || size === null || size >= DEVICEMAPPER_SIZE_MIN) return
  throw new InvalidRequest(
    `"docker_volume_size" is ${size}; with "docker_storage_driver" "devicemapper" it must be at least ${DEVICEMAPPER_SIZE_MIN} (GB).`,
  )
}
