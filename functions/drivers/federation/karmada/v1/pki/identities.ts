import {
  AGGREGATED_API_SERVER,
  API_SERVER,
  CONTROLLER_MANAGER,
  KUBE_CONTROLLER_MANAGER,
  SCHEDULER,
  WEBHOOK,
} from '../names.ts'
import type { Authority, Leaf } from './pki.schema.ts'

/** Who a certificate says its holder is. */
export type Identity = {
  authority: Authority
  /** CN: the name of the user, for clients of the API server. */
  commonName: string
  /** O: the groups of the user. */
  groups: readonly string[]
  usages: readonly ('server' | 'client')[]
}

/** May do everything, whatever RBAC says. */
const MASTERS = 'system:masters'

/** CN that the aggregation layer allows (`--requestheader-allowed-names`). */
export const FRONT_PROXY_CLIENT = 'front-proxy-client'

const server = (commonName: string): Identity => ({
  authority: 'karmada',
  commonName,
  groups: [],
  usages: ['server'],
})

const client = (commonName: string, groups: readonly string[] = []): Identity => ({
  authority: 'karmada',
  commonName,
  groups,
  usages: ['client'],
})

/**
 * One identity for each purpose (upstream gives all components the administrator's).
 *
 * Only two are in `system:masters`: fedplane itself, which installs APIs, webhooks and RBAC; and karmada-controller-manager, which reads and
 * writes objects of every kind that users bring, those of their own CRDs too, and grants what it does not hold itself. All others have the
 * roles of `rights.ts`; kube-controller-manager has those that Kubernetes makes for its name.
 */
export const IDENTITIES: Readonly<Record<Leaf, Identity>> = {
  apiserver: server(API_SERVER),
  'aggregated-apiserver-server': server(AGGREGATED_API_SERVER),
  'webhook-server': server(WEBHOOK),
  // Both: etcd's members are each other's clients.
  'etcd-server': { authority: 'etcd', commonName: 'karmada-etcd-server', groups: [], usages: ['server', 'client'] },
  'etcd-client': { authority: 'etcd', commonName: 'karmada-etcd-client', groups: [], usages: ['client'] },
  'front-proxy-client': {
    authority: 'front-proxy',
    commonName: FRONT_PROXY_CLIENT,
    groups: [],
    usages: ['client'],
  },
  admin: client('fedplane:admin', [MASTERS]),
  [CONTROLLER_MANAGER]: client(`system:${CONTROLLER_MANAGER}`, [MASTERS]),
  [KUBE_CONTROLLER_MANAGER]: client(`system:${KUBE_CONTROLLER_MANAGER}`),
  [AGGREGATED_API_SERVER]: client(`system:${AGGREGATED_API_SERVER}`),
  [SCHEDULER]: client(`system:${SCHEDULER}`),
  [WEBHOOK]: client(`system:${WEBHOOK}`),
}
