import type { JsonObject } from '../../../../../../core/values/json.ts'
import { apiServerPortOf } from '../api-server-port.ts'
import { compact } from '../compact.ts'
import { cloudSecretName } from '../names.ts'
import { cloudReference } from '../references.ts'
import type { ClusterWish } from '../wish.ts'
import { managedSecurityGroups } from './security-groups.ts'

/** Name of the only cloud in our `clouds.yaml`. */
export const CLOUD_NAME = 'default'

/** True when the API server's address is a floating IP: by its label, else as the nodes' (Magnum's user guide, `master_lb_floating_ip_enabled`). */
const hasFloatingIp = ({ plan, values }: ClusterWish): boolean =>
  values.master_lb_floating_ip_enabled ?? plan.cluster.magnum.floatingIpEnabled ?? true

const loadBalancer = ({ plan, values }: ClusterWish) =>
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
const network = ({ plan, values, spec }: ClusterWish) => {
  const { fixedNetwork, fixedSubnet } = plan.cluster.magnum
  if (fixedNetwork !== null && fixedNetwork !== '') {
    return { network: cloudReference(fixedNetwork), subnets: [cloudReference(fixedSubnet)] }
  }
  const dnsNameservers = spec?.dnsNameserver?.split(',').map((address) => address.trim())
  return { managedSubnets: [{ cidr: values.fixed_subnet_cidr, dnsNameservers }] }
}

/** `spec` of the OpenStackCluster. Most of it can never change: later renders take it over as it is. */
export const openStackClusterSpec = (wish: ClusterWish): JsonObject => {
  const { plan, values, own, spec } = wish
  return compact({
    identityRef: { type: 'Secret', name: cloudSecretName(plan.names), cloudName: CLOUD_NAME },
    ...network(wish),
    externalNetwork: cloudReference(spec?.externalNetworkId),
    apiServerLoadBalancer: loadBalancer(wish),
    disableAPIServerFloatingIP: hasFloatingIp(wish) ? undefined : true,
    apiServerFloatingIP: hasFloatingIp(wish) ? values.api_server_floating_ip : undefined,
    apiServerPort: apiServerPortOf(plan),
    managedSecurityGroups: managedSecurityGroups(wish),
    controlPlaneAvailabilityZones: values.control_plane_availability_zones ?? [own.availability_zone],
  })
}
