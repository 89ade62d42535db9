import type { InProcessClient } from '../in-process-client.ts'
import {
  CLUSTER_FINALIZER,
  CLUSTERS_PATH,
  type ClusterCondition,
  type KarmadaCluster,
  readyCondition,
} from './karmada-cluster.ts'
import { type MemberClients, memberConnection } from './member-client.ts'

type Seen = Omit<ClusterCondition, 'type' | 'lastTransitionTime'> & { version?: string }

const READY: Seen = {
  status: 'True',
  reason: 'ClusterReady',
  message: 'cluster is healthy and ready to accept workloads',
}
const NOT_REACHABLE: Seen = { status: 'False', reason: 'ClusterNotReachable', message: 'cluster is not reachable' }

/** Any error and any answer but 200 is the same to Karmada, 401 too (federation-control-planes.md 2.3). */
const probe = async (api: InProcessClient, cluster: KarmadaCluster, clients: MemberClients): Promise<Seen> => {
  const connection = memberConnection(api, cluster)
  if (typeof connection === 'string') {
    return { status: 'False', reason: 'StatusCollectionFailed', message: `failed to build client: ${connection}` }
  }
  try {
    const client = clients.at(connection)
    const { status } = await client.raw('/readyz')
    if (status !== 200) return NOT_REACHABLE
    return { ...READY, version: (await client.version()).gitVersion }
  } catch {
    return NOT_REACHABLE
  }
}

export type StatusTiming = {
  /** Between two probes of a member. Karmada: 10 s. */
  probeMilliseconds: number
  /** For how long a Cluster must be seen otherwise before its Ready changes. Karmada: 30 s. */
  dampingMilliseconds: number
}

type Since = { status: string; at: number }

/** Ready of each Cluster, by calling its member with the stored Secret. Changes count after a while, the first observation of once. */
export class StatusController {
  readonly #timing: StatusTiming
  readonly #clients: MemberClients
  /** Last probe of each Cluster, and of what. */
  readonly #probed = new Map<string, { at: number; of: string }>()
  readonly #pending = new Map<string, Since>()
  readonly #seen = new Set<string>()

  constructor(timing: StatusTiming, clients: MemberClients) {
    this.#timing = timing
    this.#clients = clients
  }

  async look(api: InProcessClient, cluster: KarmadaCluster): Promise<void> {
    const { name, uid = '', finalizers = [] } = cluster.metadata
    if (cluster.spec.secretRef === undefined || !finalizers.includes(CLUSTER_FINALIZER)) return
    if (!this.#isDue(api, cluster)) return
    const seen = await probe(api, cluster, this.#clients)
    const now = api.get(`${CLUSTERS_PATH}/${name}`) as KarmadaCluster | undefined
    if (now?.metadata.uid !== uid || !this.#counts(uid, readyCondition(now)?.status, seen.status)) return
    this.#write(api, now, seen)
  }

  /** At once when the Cluster or its Secret changed, else after a while. */
  #isDue(api: InProcessClient, { metadata, spec }: KarmadaCluster): boolean {
    const { namespace, name } = spec.secretRef ?? { namespace: '', name: '' }
    const secret = api.get(`/api/v1/namespaces/${namespace}/secrets/${name}`)
    const of = `${metadata.generation} ${secret?.metadata.resourceVersion}`
    const before = this.#probed.get(metadata.uid ?? '')
    const now = performance.now()
    if (before?.of === of && now - before.at < this.#timing.probeMilliseconds) return false
    this.#probed.set(metadata.uid ?? '', { at: now, of })
    return true
  }

  /** A flip counts when it has lasted; the first observation of this process at once. */
  #counts(uid: string, before: string | undefined, status: string): boolean {
    const isFirst = !this.#seen.has(uid)
    this.#seen.add(uid)
    if (isFirst || before === undefined || before === status) {
      this.#pending.delete(uid)
      return true
    }
    const pending = this.#pending.get(uid)
    if (pending?.status !== status) {
      this.#pending.set(uid, { status, at: performance.now() })
      return this.#timing.dampingMilliseconds === 0
    }
    return performance.now() - pending.at >= this.#timing.dampingMilliseconds
  }

  #write(api: InProcessClient, cluster: KarmadaCluster, { version, ...seen }: Seen): void {
    const before = readyCondition(cluster)
    if (before?.status === seen.status && before.reason === seen.reason) return
    const lastTransitionTime = `${new Date().toISOString().slice(0, 19)}Z`
    const complete = {
      type: 'CompleteAPIEnablements',
      status: 'True',
      reason: 'Complete',
      message: '',
      lastTransitionTime,
    }
    const conditions = [{ type: 'Ready', lastTransitionTime, ...seen }, ...(version === undefined ? [] : [complete])]
    const status = { conditions, ...(version === undefined ? {} : { kubernetesVersion: version, apiEnablements: [] }) }
    api.patch(`${CLUSTERS_PATH}/${cluster.metadata.name}/status`, { status })
  }
}
