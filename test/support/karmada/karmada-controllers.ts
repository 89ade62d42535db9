import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../../../functions/kubernetes/client.ts'
import type { Cluster } from '../../../simulated-kubernetes/cluster.ts'
import { authController } from './controllers/auth-controller.ts'
import { clusterController } from './controllers/cluster-controller.ts'
import { ExecutionController } from './controllers/execution-controller.ts'
import { CLUSTERS_PATH, isDeleting, type KarmadaCluster } from './controllers/karmada-cluster.ts'
import { MemberClients, memberConnection } from './controllers/member-client.ts'
import { propagate, syncNamespaces } from './controllers/propagation.ts'
import { StatusController, type StatusTiming } from './controllers/status-controller.ts'
import { type InProcessClient, inProcess, isRefusal } from './in-process-client.ts'

export type Timing = StatusTiming & {
  /** Between two observations while something changes: controllers watch. */
  periodMilliseconds: number
}

export type Process = { user: { username: string; groups: string[] }; schedules(): boolean }

/** karmada-controller-manager as one process: ends with its pods, and remembers what a process remembers. */
export class KarmadaControllers {
  readonly #api: InProcessClient
  readonly #revision: () => string
  readonly #process: Process
  readonly #timing: Timing
  readonly #status: StatusController
  readonly #clients = new MemberClients()
  readonly #execution = new ExecutionController(this.#clients)
  /** Watches on members are opened once, with the token of that moment (defect of Karmada up to 1.18.2). */
  readonly #watches = new Map<string, Connection>()
  #isStopped = false
  readonly #loop: Promise<void>

  constructor(cluster: Cluster, process: Process, timing: Timing) {
    this.#api = inProcess(cluster, process.user)
    this.#revision = () => cluster.store.revision
    this.#process = process
    this.#timing = timing
    this.#status = new StatusController(timing, this.#clients)
    this.#loop = this.#run()
  }

  /** Whether what happens in a member is seen here: false when the token of its watch is gone. */
  async isWatching(name: string): Promise<boolean> {
    const connection = this.#watches.get(name)
    if (connection === undefined) return false
    return (await this.#clients.at(connection).raw('/api/v1/namespaces/default')).status === 200
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#loop
    this.#clients.close()
  }

  async #run(): Promise<void> {
    let seen = ''
    let quietUntil = 0
    while (!this.#isStopped) {
      if (this.#revision() !== seen || performance.now() >= quietUntil) {
        seen = this.#revision()
        await this.#look()
        quietUntil = performance.now() + this.#timing.probeMilliseconds
      }
      await sleep(this.#timing.periodMilliseconds)
    }
  }

  async #look(): Promise<void> {
    await this.#attempt(() => propagate(this.#api, this.#process.schedules()))
    const names = await this.#attempt(() => this.#api.list(CLUSTERS_PATH).map(({ metadata }) => metadata.name))
    await Promise.all((names ?? []).map((name) => this.#lookAt(name)))
  }

  async #lookAt(name: string): Promise<void> {
    const steps: ((cluster: KarmadaCluster) => unknown)[] = [
      (cluster) => clusterController(this.#api, cluster),
      (cluster) => authController(this.#api, cluster),
      (cluster) => syncNamespaces(this.#api, cluster),
      (cluster) => this.#status.look(this.#api, cluster),
      (cluster) => this.#watch(cluster),
      (cluster) => this.#execution.look(this.#api, cluster),
    ]
    for (const step of steps) {
      await this.#attempt(async () => {
        const cluster = this.#api.get(`${CLUSTERS_PATH}/${name}`) as KarmadaCluster | undefined
        if (cluster !== undefined) await step(cluster)
      })
    }
  }

  #watch(cluster: KarmadaCluster): void {
    const { name } = cluster.metadata
    if (isDeleting(cluster)) this.#watches.delete(name)
    const connection = memberConnection(this.#api, cluster)
    if (!this.#watches.has(name) && typeof connection !== 'string') this.#watches.set(name, connection)
  }

  /** Controllers log what fails and try again. */
  async #attempt<T>(act: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      if (isRefusal(error) || !(error instanceof TypeError)) return undefined
      throw error
    }
  }
}
