import { looksLikeUuid } from '../../../../../core/values/ids.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'
import type { Infrastructure } from '../model/infrastructure.ts'
import { cloudSecretName } from '../model/names.ts'
import {
  apiServerPortOf,
  compact,
  type DesiredCluster,
  type DesiredGroup,
  disksOf,
  extraNetworks,
  type Sparse,
} from './plan.ts'

/** Something of OpenStack by id or by name. Clients of Magnum give both, and only Nova's flavors have ids that are no UUIDs. */
const cloudReference = (ident: string | null | undefined): JsonObject | undefined => {
  if (ident === null || ident === undefined || ident === '') return undefined
  return looksLikeUuid(ident) ? { id: ident } : { filter: { name: ident } }
}

/** CAPO's two fields for a flavor. A number is an id, as Nova gave them once. */
const flavorReference = (ident: string | null): JsonObject => {
  if (ident === null || ident === '') return {}
  return looksLikeUuid(ident) || /^\d+$/.test(ident) ? { flavorID: ident } : { flavor: ident }
}

/** What CAPO opens to everybody on masters by itself, whatever the port is. */
const USUAL_API_PORT = 6443
const EVERYWHERE = '0.0.0.0/0'

const opened = (name: string, protocol: 'tcp' | 'udp', [first, last]: readonly [number, number]) => ({
  name,
  direction: 'ingress',
  etherType: 'IPv4',
  protocol,
  portRangeMin: first,
  portRangeMax: last,
})

/**
 * CAPO 0.14 and 0.15 open port 6443 and no other (issue 3349 there). Word for word the rule that it makes of 6443, description too: when it opens the right
 * port itself, the two are one, where Neutron would refuse a second one.
 */
const apiServerRules = ({ plan }: DesiredCluster): Sparse => {
  const port = apiServerPortOf(plan) ?? USUAL_API_PORT
  return port === USUAL_API_PORT
    ? undefined
    : [{ ...opened('Kubernetes API', 'tcp', [port, port]), description: 'Kubernetes API' }]
}

/** Load balancers of OVN hand packets on with the address of whoever sent them; CAPO opens ports of Services to the cluster's own subnet only. */
const nodePortRules = ({ values }: DesiredCluster): Sparse =>
  values.octavia_provider === 'ovn'
    ? (['tcp', 'udp'] as const).map((protocol) => ({
        ...opened(`Node ports, ${protocol}`, protocol, [30_000, 32_767]),
        remoteIPPrefix: EVERYWHERE,
      }))
    : undefined

/** Who reaches the machines' ports. All traffic between nodes: what a CNI needs differs with the CNI. */
const managedSecurityGroups = (desired: DesiredCluster): Sparse => ({
  allowAllInClusterTraffic: true,
  controlPlaneNodesSecurityGroupRules: apiServerRules(desired),
  workerNodesSecurityGroupRules: nodePortRules(desired),
})

/** Name of the only cloud in our `clouds.yaml`. */
export const CLOUD_NAME = 'default'

/** True when the API server's address is a floating IP: by its label, else as the nodes' (Magnum's user guide, `master_lb_floating_ip_enabled`). */
const hasFloatingIp = ({ plan, values }: DesiredCluster): boolean =>
  values.master_lb_floating_ip_enabled ?? plan.cluster.magnum.floatingIpEnabled ?? true

const loadBalancer = ({ plan, values }: DesiredCluster) =>
  plan.cluster.magnum.masterLbEnabled
    ? {
        enabled: true,
        provider: values.octavia_provider,
        flavor: values.api_server_lb_flavor,
        availabilityZone: values.api_server_lb_availability_zone,
        allowedCIDRs: values.api_master_lb_allowed_cidrs,
      }
    : undefined

/** Somebody's network, or one of the cluster's own. A given network is never taken for ours (cluster-api.md section 7, row 25). */
const network = ({ plan, values, spec }: DesiredCluster) => {
  const { fixedNetwork, fixedSubnet } = plan.cluster.magnum
  if (fixedNetwork !== null && fixedNetwork !== '') {
    return { network: cloudReference(fixedNetwork), subnets: [cloudReference(fixedSubnet)] }
  }
  const dnsNameservers = spec?.dnsNameserver?.split(',').map((address) => address.trim())
  return { managedSubnets: [{ cidr: values.fixed_subnet_cidr, dnsNameservers }] }
}

/** `spec` of the OpenStackCluster. Most of it can never change: later renders take it over as it is. */
const openStackClusterSpec = (desired: DesiredCluster): JsonObject => {
  const { plan, values, own, spec } = desired
  return compact({
    identityRef: { type: 'Secret', name: cloudSecretName(plan.names), cloudName: CLOUD_NAME },
    ...network(desired),
    externalNetwork: cloudReference(spec?.externalNetworkId),
    apiServerLoadBalancer: loadBalancer(desired),
    disableAPIServerFloatingIP: hasFloatingIp(desired) ? undefined : true,
    apiServerFloatingIP: hasFloatingIp(desired) ? values.api_server_floating_ip : undefined,
    apiServerPort: apiServerPortOf(plan),
    managedSecurityGroups: managedSecurityGroups(desired),
    controlPlaneAvailabilityZones: values.control_plane_availability_zones ?? [own.availability_zone],
  })
}

/** The root disk is a volume when its size is said, else it is the flavor's. */
const rootVolume = ({ own }: DesiredGroup) =>
  own.boot_volume_size === 0
    ? undefined
    : {
        sizeGiB: own.boot_volume_size,
        type: own.boot_volume_type,
        availabilityZone:
          own.boot_volume_availability_zone === undefined
            ? undefined
            : { from: 'Name', name: own.boot_volume_availability_zone },
      }

/** Workers may have further networks. Once ports are named, the one in the cluster's network must be too: the first, which names no network. */
const ports = (desired: DesiredGroup) => {
  const networks = extraNetworks(desired)
  if (networks.length === 0) return undefined
  return [
    { nameSuffix: 'cluster' },
    ...networks.map((network, index) => ({ nameSuffix: `extra-${index + 1}`, network: cloudReference(network) })),
  ]
}

/** `spec` of the OpenStackMachines of a group. Another one makes new machines. */
const openStackMachineSpec = (desired: DesiredGroup): JsonObject =>
  compact({
    ...flavorReference(desired.group.flavorId),
    image: cloudReference(desired.image),
    sshKeyName: desired.plan.cluster.magnum.keypair,
    rootVolume: rootVolume(desired),
    additionalBlockDevices: disksOf(desired).map(({ name, gigabytes, storage }) => ({
      name,
      sizeGiB: gigabytes,
      storage,
    })),
    ports: ports(desired),
  })

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
