import type { Operation } from '../operation/operation.ts'
import { defaultsOf, type Kept } from '../values/attributes.ts'
import type { DriverId } from '../values/ids.ts'
import type { JsonObject } from '../values/json.ts'
import type { Condition, Status } from '../values/status.ts'
import type { ClusterTask, QueuedTask } from './cluster-task.ts'
import { CLUSTER_ATTRIBUTES } from './magnum-attributes.ts'

export type ClusterOperation = Operation<'create' | 'update' | 'delete'>

/** Where a cluster's API server is. Nothing here is secret. */
export type ClusterEndpoint = {
  /** `https://host:port[/path]` as fedplane reaches it. */
  server: string
  /** The same API server as other clusters reach it; null means `server`. kind and k3d write 127.0.0.1 into kubeconfigs. */
  serverForPeers: string | null
  /** PEM; null when the operating system's roots are trusted, or nothing is verified. */
  caPem: string | null
  /** Name checked against the certificate instead of the host; null means the host. */
  tlsServerName: string | null
  /** False only after the explicit opt-in `insecure_skip_tls_verify`; shown in every read. */
  tlsVerify: boolean
}

/** Who a cluster is and who we are in it. */
export type ClusterIdentity = {
  /** uid of the `kube-system` namespace: the identity of a Kubernetes cluster. */
  uid: string
  /** The user name that the cluster says we are (SelfSubjectReview). */
  user: string
}

export type HealthStatus = 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN'

/** What was last seen. Guarded by `observedAt`, not by `revision`, and bumps no revision. */
export type ClusterObservation = {
  /** ISO-8601 UTC. */
  observedAt: string
  healthStatus: HealthStatus
  /** Magnum's map: key `api` → `ok` or the fault; `<node>.Ready` → `True` or `False`. */
  healthReason: Readonly<Record<string, string>>
  /** The server's gitVersion, whole; null when unknown. */
  version: string | null
  nodeCount: number
  masterCount: number
  /** Since when it is UNHEALTHY, without interruption; absent while it is not. ISO-8601 UTC. */
  unhealthySince?: string
  /** Another cluster answers in its place, by the uid of `kube-system`: nothing is written into that. */
  isOther?: true
}

/**
 * Sums over the node groups, written with each change of one, so that lists need not read them. Only for clusters whose driver makes
 * nodes; of others `observation` counts.
 */
export type ClusterNodes = {
  nodeCount: number
  masterCount: number
  nodeAddresses: readonly string[]
  masterAddresses: readonly string[]
}

/** Magnum attributes that we keep and show; drivers say which they use. */
export type MagnumClusterAttributes = Kept<typeof CLUSTER_ATTRIBUTES> & {
  /** Whose template it is; null for a built-in one. */
  templateProjectId: string | null
  /** The template's labels when the cluster was made or upgraded: the three `labels_*` attributes compare with them. */
  templateLabels: Readonly<Record<string, string>>
  /** The template's: no certificates then. */
  tlsDisabled: boolean
}

/** What a cluster has of them that was given none. */
export const NO_MAGNUM_ATTRIBUTES: MagnumClusterAttributes = {
  ...defaultsOf(CLUSTER_ATTRIBUTES),
  clusterTemplateId: '',
  templateProjectId: null,
  templateLabels: {},
  tlsDisabled: false,
}

/**
 * `host:<federation id>` or `member:<federation id>`, with `@<project>` behind it when the federation is another project's: a cluster with uses
 * can't be deleted.
 */
export type ClusterUse = `${'host' | 'member'}:${string}`

/** What makes a registered cluster a management cluster: drivers make other clusters through it. Chosen by an administrator. */
export type ManagementRole = {
  /** Of the clusters that it makes. */
  driver: DriverId
  /** The fields that the driver asks for, by name. */
  options: Readonly<Record<string, string>>
  /** Takes the clusters that name no other. */
  isDefault: boolean
}

/** Whose application credentials a cluster has in the cloud (decision 0018); the credentials themselves are sealed. */
export type CloudOwnership = {
  /** User of Keystone, already while his credentials wait to be put in place. */
  userId: string
  /** When they are to be renewed, ISO-8601 UTC. */
  renewAfter: string
}

export type Cluster = {
  id: string
  projectId: string
  userId: string
  name: string
  driver: DriverId
  /** From 1; each change of intent or status adds 1 and is conditional on the value read. */
  revision: number
  status: Status
  statusReason: string | null
  /** Null when nothing runs. */
  operation: ClusterOperation | null
  /** What an `update` operation does; null when none runs. */
  task: ClusterTask | null
  /** Tasks that wait for it to end, in the order in which they were asked for. */
  queue: readonly QueuedTask[]
  nodes: ClusterNodes | null
  conditions: readonly Condition[]
  endpoint: ClusterEndpoint | null
  identity: ClusterIdentity | null
  magnum: MagnumClusterAttributes
  /** The driver's own notes and options: non-secret, small. */
  driverState: JsonObject
  createdAt: string
  updatedAt: string | null
  /** Changed by `ClusterStore.observe` only; null before the first observation. */
  observation: ClusterObservation | null
  /** Changed by `addUse` and `removeUse` only. */
  uses: readonly ClusterUse[]
  /** Null or absent: none. */
  management?: ManagementRole | null
  /** The management cluster that it is made through; null or absent for drivers that need none. Chosen once. */
  madeThrough?: { projectId: string; id: string } | null
  /** Null or absent for clusters that need no credential in a cloud. */
  cloud?: CloudOwnership | null
  /**
   * What of its health each control plane was last told, by federation id: see the health sweep. One that is missing, or says
   * something else than `observation`, is still to be reported. Set by `ClusterStore.noteReported`, removed by `removeUses`.
   */
  told?: Readonly<Record<string, string>>
  /** Proves that what leads to credentials is as fedplane wrote it. Set by every write of that; see `IntegrityStore`. */
  integrity?: string
}

/** The fields that `ClusterStore.change` may set. */
export type ClusterChange = Partial<
  Pick<
    Cluster,
    | 'name'
    | 'status'
    | 'statusReason'
    | 'operation'
    | 'task'
    | 'queue'
    | 'nodes'
    | 'conditions'
    | 'endpoint'
    | 'identity'
    | 'magnum'
    | 'driverState'
    | 'management'
    | 'cloud'
    | 'updatedAt'
  >
>

/** Federations that use a cluster, each id once. */
export const federationsOf = (cluster: Pick<Cluster, 'uses' | 'projectId'>): { projectId: string; id: string }[] => [
  ...new Map(federationUses(cluster).map(({ federation }) => [federation.id, federation])).values(),
]

/** A federation that uses a cluster, and as what. */
export type FederationUse = { side: 'host' | 'member'; federation: { projectId: string; id: string } }

/** The mark of a federation on a cluster that it uses. */
export const useMark = (
  side: FederationUse['side'],
  federation: FederationUse['federation'],
  clusterProjectId: string,
): ClusterUse =>
  `${side}:${federation.id}${federation.projectId === clusterProjectId ? '' : `@${federation.projectId}`}`

/** The marks on a cluster, read. */
export const federationUses = ({ uses, projectId }: Pick<Cluster, 'uses' | 'projectId'>): FederationUse[] =>
  uses.map((use) => {
    const [side, ...mark] = use.split(':')
    const [id = '', ...owner] = mark.join(':').split('@')
    const federation = { projectId: owner.length === 0 ? projectId : owner.join('@'), id }
    return { side: side === 'host' ? 'host' : 'member', federation }
  })

/** Certificate authorities of a cluster, by `ca_cert_type` (magnum-rest.md 7.1). */
export const AUTHORITIES = ['kubernetes', 'etcd', 'front-proxy'] as const
export type AuthorityType = (typeof AUTHORITIES)[number]

/** Kinds of keys that authorities have: P-256, fast to make and to sign with, or RSA of 2048 bits for what knows nothing else. */
export type AuthorityKeys = 'ec' | 'rsa'
