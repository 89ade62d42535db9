import { ETCD } from '../names.ts'
import { type HostPlan, serviceHost } from './plan.ts'

export const ETCD_CLIENT_PORT = 2379
export const ETCD_PEER_PORT = 2380

/** Names of the first `count` members: those of the pods. */
export const memberNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `${ETCD}-${index}`)

/** `etcd-0.etcd.federation-system.svc.cluster.local`. */
export const memberHost = (plan: Pick<HostPlan, 'properties'>, member: string): string =>
  `${member}.${serviceHost(plan, ETCD)}`

export const peerUrl = (plan: Pick<HostPlan, 'properties'>, member: string): string =>
  `https://${memberHost(plan, member)}:${ETCD_PEER_PORT}`

/** Value of `--etcd-servers`: every member. */
export const etcdServers = (plan: HostPlan): string =>
  memberNames(plan.properties.replicas)
    .map((member) => `https://${memberHost(plan, member)}:${ETCD_CLIENT_PORT}`)
    .join(',')
