import { setImmediate } from 'node:timers/promises'
import type { Cluster as Store } from '../../../simulated-kubernetes/cluster.ts'
import { patchStored } from '../../../simulated-kubernetes/controllers/patch-stored.ts'
import { CRDS, isEstablished } from '../../../simulated-kubernetes/resource-types.ts'
import type { SimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import { inProcess } from '../karmada/in-process-client.ts'
import { admit, type SimulatedAdmission, webhookConfiguration } from './admission.ts'
import { definitions } from './crds.ts'
import type { MachineFate } from './machines.ts'
import {
  CLASSES,
  CLUSTER_NAME,
  CLUSTERS,
  type ClusterSpec,
  classOf,
  dropFinalizers,
  isClassKnown,
  isLeaving,
  make,
  report,
  respec,
  SECRETS,
  specOf,
} from './objects.ts'
import { reconcileTopology, type SimulatedTopology, takeDown } from './topology.ts'
import { startWorkload, type Workload } from './workload.ts'

/** Milliseconds between a change and the controllers' next step. */
const STEP_MS = 2

const FINALIZER = 'cluster.cluster.x-k8s.io'

export type CapiOptions = {
  /** Default: all machines come up. */
  machineFate?: (machine: ApiObject) => MachineFate
  /** Default: as its API server runs. */
  isReachable?: (cluster: ApiObject) => boolean
  /** Default: never. */
  topologyFault?: (cluster: ApiObject) => string | undefined
  /** Feature gate ClusterTopology. Default true. */
  topologyGate?: boolean
  /** Feature gate KubeadmBootstrapFormatIgnition, which is off by default in the real one. Default true. */
  ignitionGate?: boolean
  /** False while the controllers don't check a class. Default true. */
  looksAtClass?: (found: ApiObject) => boolean
  /** What admission has against a cluster by its class. Default: nothing. */
  classRule?: (cluster: ApiObject) => string | undefined
  /** False: no admission. Default true. */
  webhooks?: boolean
  /** Default 13. */
  minor?: 13 | 14
}

const decoded = (value: unknown): string => Buffer.from(String(value ?? ''), 'base64').toString()

/** Simulated controllers of Cluster API in a simulated management cluster. */
export class SimulatedCapi {
  /** May be changed while it runs; `refresh` lets the controllers look again. */
  readonly options: CapiOptions
  readonly #store: Store
  readonly #workloads = new Map<string, Workload>()
  readonly #starting = new Set<string>()
  readonly #play: SimulatedTopology
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #machines = 0

  constructor(server: SimulatedKubernetes, options: CapiOptions = {}) {
    this.#store = server.cluster
    this.options = options
    this.#play = {
      machineFate: (machine) => this.options.machineFate?.(machine) ?? 'up',
      workload: (cluster) => this.#workloads.get(cluster.metadata.uid ?? '')?.store,
      next: () => {
        this.#machines += 1
        return this.#machines
      },
      isReachable: (cluster) => this.options.isReachable?.(cluster) ?? true,
      topologyFault: (cluster) => this.options.topologyFault?.(cluster) ?? this.#classFault(cluster),
      minor: options.minor ?? 13,
    }
    const admin = inProcess(this.#store, { username: 'capi-installer', groups: ['system:masters'] })
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    for (const definition of definitions()) admin.create(path, definition)
    if (options.webhooks !== false) {
      const play = (): SimulatedAdmission => ({
        gate: this.options.topologyGate ?? true,
        ignition: this.options.ignitionGate ?? true,
        classRule: (cluster) => this.options.classRule?.(cluster),
      })
      server.behaviour.callWebhook = (call) => admit(this.#store, call, play())
      admin.create('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', webhookConfiguration())
    }
    this.#store.store.onChange(() => this.refresh())
  }

  /** The API of a cluster that is made; by its name in the management cluster. */
  workload(name: string): Workload | undefined {
    const cluster = this.#store.store.list(CLUSTERS).find(({ metadata }) => metadata.name === name)
    return this.#workloads.get(cluster?.metadata.uid ?? '')
  }

  /** Until the API server serves all kinds of Cluster API: it makes definitions established by and by, as the real one does. */
  async served(): Promise<void> {
    while (!this.#store.store.list(CRDS).every(isEstablished)) await setImmediate()
  }

  /** Ends the API servers of all clusters. */
  async stopWorkloads(): Promise<void> {
    await Promise.all([...this.#workloads.values()].map(({ stop }) => stop()))
  }

  refresh(): void {
    if (!this.#isStopped) this.#timer ??= setTimeout(() => this.#run(), STEP_MS)
  }

  async close(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.stopWorkloads()
  }

  #run(): void {
    this.#timer = undefined
    for (const object of this.#store.store.list(CLASSES)) {
      if (this.options.looksAtClass?.(object) ?? true) {
        report(this.#store, CLASSES, object, { conditions: [{ type: 'VariablesReady', status: true }] })
      }
    }
    for (const cluster of this.#store.store.list(CLUSTERS)) this.#reconcile(cluster)
  }

  #classFault(cluster: ApiObject): string | undefined {
    const found = classOf(this.#store, cluster)
    if (found === undefined) return 'failed to retrieve ClusterClass'
    return isClassKnown(found) ? undefined : 'ClusterClass is not successfully reconciled'
  }

  #reconcile(cluster: ApiObject): void {
    if (isLeaving(cluster)) {
      if (takeDown(this.#store, this.#play, cluster)) this.#forget(cluster)
      return
    }
    const { finalizers = [] } = cluster.metadata
    if (!finalizers.includes(FINALIZER)) {
      patchStored(this.#store, CLUSTERS, cluster, {
        metadata: { ...cluster.metadata, finalizers: [...finalizers, FINALIZER] },
      })
      return
    }
    this.#provision(cluster)
    reconcileTopology(this.#store, this.#play, cluster)
  }

  /** Infrastructure, endpoint, and the Secrets that Cluster API makes itself. */
  #provision(cluster: ApiObject): void {
    const { uid = '', name } = cluster.metadata
    const workload = this.#workloads.get(uid)
    if (workload === undefined) {
      this.#start(cluster)
      return
    }
    if (specOf<ClusterSpec>(cluster).controlPlaneEndpoint !== undefined) return
    respec(this.#store, CLUSTERS, cluster, { controlPlaneEndpoint: { host: '127.0.0.1', port: workload.port } })
    for (const purpose of ['sa', 'kubeconfig']) {
      make(
        this.#store,
        SECRETS,
        { owner: cluster, cluster },
        {
          apiVersion: 'v1',
          kind: 'Secret',
          name: `${name}-${purpose}`,
          labels: { [CLUSTER_NAME]: name },
          fields: { type: 'cluster.x-k8s.io/secret', data: {} },
        },
      )
    }
  }

  #start(cluster: ApiObject): void {
    const { uid = '', name, namespace } = cluster.metadata
    if (this.#starting.has(uid)) return
    this.#starting.add(uid)
    const secret = this.#store.store.get(SECRETS, `${name}-ca`, namespace)?.object
    const data = (secret?.data ?? {}) as Record<string, unknown>
    // Real controllers make an authority where there is none; a driver that leaves it to them has lost its own.
    if (secret === undefined) throw new Error(`simulated Cluster API: there is no Secret ${namespace}/${name}-ca`)
    void startWorkload({ certificatePem: decoded(data['tls.crt']), keyPem: decoded(data['tls.key']) }).then(
      (workload) => {
        if (this.#isStopped) return workload.stop()
        this.#workloads.set(uid, workload)
        this.refresh()
        return undefined
      },
    )
  }

  #forget(cluster: ApiObject): void {
    const { uid = '' } = cluster.metadata
    void this.#workloads.get(uid)?.stop()
    this.#workloads.delete(uid)
    dropFinalizers(this.#store, CLUSTERS, cluster)
  }
}
