import { apiServerPortOf } from '../api-server-port.ts'
import type { Sparse } from '../compact.ts'
import type { ClusterWish } from '../wish.ts'

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
const apiServerRules = ({ plan }: ClusterWish): Sparse => {
  const port = apiServerPortOf(plan) ?? USUAL_API_PORT
  return port === USUAL_API_PORT
    ? undefined
    : [{ ...opened('Kubernetes API', 'tcp', [port, port]), description: 'Kubernetes API' }]
}

/** Load balancers of OVN hand packets on with the address of whoever sent them; CAPO opens ports of Services to the cluster's own subnet only. */
const nodePortRules = ({ values }: ClusterWish): Sparse =>
  values.octavia_provider === 'ovn'
    ? (['tcp', 'udp'] as const).map((protocol) => ({
        ...opened(`Node ports, ${protocol}`, protocol, [30_000, 32_767]),
        remoteIPPrefix: EVERYWHERE,
      }))
    : undefined

/** Who reaches the machines' ports. All traffic between nodes: what a CNI needs differs with the CNI. */
export const managedSecurityGroups = (wish: ClusterWish): Sparse => ({
  allowAllInClusterTraffic: true,
  controlPlaneNodesSecurityGroupRules: apiServerRules(wish),
  workerNodesSecurityGroupRules: nodePortRules(wish),
})
