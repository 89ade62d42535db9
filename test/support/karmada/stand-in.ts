import type { PodFate } from '../../../simulated-kubernetes/behaviour.ts'
import { serviceSpec } from '../../../simulated-kubernetes/builtin/service.ts'
import type { SimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import {
  type Api,
  crashed,
  PROGRAMS,
  type ProgramName,
  readyPods,
  requireStarts,
  userOfComponent,
  workloadOf,
} from './components.ts'
import { ControlPlane, type ServingFiles } from './control-plane.ts'
import { KarmadaControllers, type Timing } from './karmada-controllers.ts'
import { ProgramFault, programOf } from './mounted-files.ts'
import { surroundingsIn } from './surroundings.ts'

const SERVICES = { group: '', plural: 'services' }
const CLAIMS = { group: '', plural: 'persistentvolumeclaims' }

export type StandInOptions = Partial<Timing> & {
  /** What becomes of a workload's pods in place of what the stand-in finds; undefined: that. */
  podFate?: (workload: ApiObject) => PodFate | undefined
}

/** One namespace of the host with a control plane in it. */
type Site = {
  claim: string
  plane: ControlPlane
  controllers: { pods: string; running: KarmadaControllers | undefined } | undefined
  fault: string | undefined
}

const STARTING: PodFate = { fate: 'waiting', reason: 'ContainerCreating', message: '' }

const RBAC = 'rbac.authorization.k8s.io'
const RIGHTS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']

/** What of the host decides whether a program runs. */
const WATCHED = [
  SERVICES,
  { group: '', plural: 'secrets' },
  { group: '', plural: 'pods' },
  { group: 'apps', plural: 'statefulsets' },
  { group: 'apps', plural: 'deployments' },
]

/** Certificates may expire without any change. */
const secondNow = (): number => Math.floor(Date.now() / 1000)

const isProgram = (name: string): name is ProgramName => PROGRAMS.some((program) => program === name)

/**
 * SIMULATED: stands in for what runs in the pods of karmada@1's workloads in a simulated host. A program runs when its workload is there and it
 * would start with the flags, files and rights that it finds; facts from federation-control-planes.md 1 and 2.
 * `test/e2e/karmada/stand-in.e2e.ts` holds it against the real thing.
 */
export class KarmadaStandIn {
  podFate: StandInOptions['podFate']
  readonly #host: SimulatedKubernetes
  readonly #timing: Timing
  readonly #sites = new Map<string, Site>()
  readonly #fates = new Map<string, { of: string; at: number; fate: PodFate }>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(host: SimulatedKubernetes, options: StandInOptions = {}) {
    this.#host = host
    this.podFate = options.podFate
    this.#timing = {
      periodMilliseconds: options.periodMilliseconds ?? 10,
      probeMilliseconds: options.probeMilliseconds ?? 200,
      dampingMilliseconds: options.dampingMilliseconds ?? 60,
    }
    host.behaviour.podFate = (workload) => this.#fateOf(workload)
    host.behaviour.podPort = (pod, port) => this.#podPort(pod, port)
    host.cluster.store.onChange(() => this.#schedule())
  }

  /** The control plane of a namespace, for looks of the test itself; undefined when none runs. */
  planeIn(namespace: string): ControlPlane | undefined {
    const plane = this.#sites.get(namespace)?.plane
    return plane?.isServing ? plane : undefined
  }

  /** karmada-controller-manager of a namespace; undefined when it does not run. */
  controllersIn(namespace: string): KarmadaControllers | undefined {
    return this.#sites.get(namespace)?.controllers?.running
  }

  /** Looks again, for what changed beside the host's objects. */
  refresh(): void {
    this.#host.refresh()
    this.#schedule()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all([...this.#sites.keys()].map((namespace) => this.#drop(namespace)))
  }

  #schedule(): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => this.#reconcile(), 1)
  }

  #reconcile(): void {
    this.#timer = undefined
    const { store } = this.#host.cluster
    const found = store
      .list({ group: 'apps', plural: 'statefulsets' })
      .filter(({ metadata }) => metadata.name === 'etcd')
    const namespaces = new Set([...found.map(({ metadata }) => metadata.namespace ?? ''), ...this.#sites.keys()])
    for (const namespace of namespaces) void this.#reconcileSite(namespace)
  }

  async #reconcileSite(namespace: string): Promise<void> {
    const claim = this.#host.cluster.store.get(CLAIMS, 'etcd-data-etcd-0', namespace)?.object.metadata.uid
    const known = this.#sites.get(namespace)
    // Without its volume etcd has forgotten everything.
    if (known !== undefined && known.claim !== claim) await this.#drop(namespace)
    if (claim === undefined || this.#isClosed) return
    const site = this.#sites.get(namespace) ?? this.#open(namespace, claim)
    await this.#serve(namespace, site)
    site.plane.setControllers(this.#runs(namespace, 'kube-controller-manager'))
    this.#runControllers(namespace, site)
  }

  #open(namespace: string, claim: string): Site {
    const inside = () => this.#sites.get(namespace)?.plane.cluster
    const plane = new ControlPlane(this.#host.caPem, surroundingsIn(this.#host.cluster, namespace, inside))
    const site: Site = { claim, plane, controllers: undefined, fault: undefined }
    this.#sites.set(namespace, site)
    return site
  }

  async #drop(namespace: string): Promise<void> {
    const site = this.#sites.get(namespace)
    this.#sites.delete(namespace)
    await site?.controllers?.running?.stop()
    await site?.plane.close()
  }

  async #serve(namespace: string, site: Site): Promise<void> {
    const before = site.plane.isServing
    try {
      await site.plane.serveAt(this.#files(namespace), this.#ports(namespace))
      site.fault = undefined
    } catch (error) {
      site.fault = String(error)
    }
    if (site.plane.isServing !== before) this.refresh()
  }

  /** Files of the API server, when it would run. */
  #files(namespace: string): ServingFiles | undefined {
    const workload = workloadOf(this.#host.cluster, namespace, 'karmada-apiserver')
    if (workload === undefined || (this.podFate?.(workload) ?? this.#found(workload)).fate !== 'ready') return undefined
    const program = programOf(this.#host.cluster, workload)
    return {
      certificatePem: program.fileOf('tls-cert-file'),
      keyPem: program.fileOf('tls-private-key-file'),
      clientCaPem: program.fileOf('client-ca-file'),
    }
  }

  /** Ports of 127.0.0.1 at which the host's network leads to the API server's pods. */
  #ports(namespace: string): number[] {
    const service = this.#host.cluster.store.get(SERVICES, 'karmada-apiserver', namespace)?.object
    const [pod] = readyPods(this.#host.cluster, namespace, 'karmada-apiserver')
    if (service === undefined || service.metadata.deletionTimestamp !== undefined) return []
    const { type, ports = [], selector = {} } = serviceSpec(service)
    const { labels = {} } = pod?.metadata ?? {}
    if (pod !== undefined && !Object.entries(selector).every(([key, value]) => labels[key] === value)) return []
    const { loadBalancer } = (service.status ?? {}) as { loadBalancer?: { ingress?: object[] } }
    if (type === 'LoadBalancer') return loadBalancer?.ingress === undefined ? [] : ports.map(({ port }) => port)
    return type === 'NodePort' ? ports.flatMap(({ nodePort }) => nodePort ?? []) : []
  }

  #runs(namespace: string, program: ProgramName): boolean {
    return readyPods(this.#host.cluster, namespace, program).length > 0
  }

  #runControllers(namespace: string, site: Site): void {
    const pods = site.plane.isServing
      ? readyPods(this.#host.cluster, namespace, 'karmada-controller-manager')
          .map(({ metadata }) => metadata.uid)
          .sort()
          .join(',')
      : ''
    if ((site.controllers?.pods ?? '') === pods) return
    void site.controllers?.running?.stop()
    site.controllers = pods === '' ? undefined : { pods, running: this.#startControllers(namespace, site.plane) }
  }

  /** Undefined when it would end at once: its Deployment or its kubeconfig is gone, and its pods are about to go. */
  #startControllers(namespace: string, { cluster }: ControlPlane): KarmadaControllers | undefined {
    const host = this.#host.cluster
    const workload = workloadOf(host, namespace, 'karmada-controller-manager')
    if (workload === undefined) return undefined
    try {
      const user = userOfComponent(host, programOf(host, workload))
      return new KarmadaControllers(
        cluster,
        { user, schedules: () => this.#runs(namespace, 'karmada-scheduler') },
        this.#timing,
      )
    } catch (error) {
      if (error instanceof ProgramFault) return undefined
      throw error
    }
  }

  #fateOf(workload: ApiObject): PodFate {
    const fate = this.podFate?.(workload) ?? this.#found(workload)
    if (fate.fate !== 'ready' || workload.metadata.name !== 'karmada-apiserver') return fate
    const site = this.#sites.get(workload.metadata.namespace ?? '')
    if (site?.fault !== undefined) return crashed(new ProgramFault(site.fault))
    return site?.plane.isServing ? fate : STARTING
  }

  /** What a program would make of what it finds, checked again when some of that changed. */
  #found(workload: ApiObject): PodFate {
    const { name, namespace = '', uid = '' } = workload.metadata
    if (!isProgram(name)) return { fate: 'ready' }
    const of = this.#surroundingsOf(workload)
    const known = this.#fates.get(uid)
    if (known?.of === of && known.at === secondNow()) return known.fate
    const fate = this.#try(namespace, workload)
    this.#fates.set(uid, { of, at: secondNow(), fate })
    return fate
  }

  /** Changes with everything that a program checks. */
  #surroundingsOf({ metadata }: ApiObject): string {
    const { store } = this.#host.cluster
    const plane = this.planeIn(metadata.namespace ?? '')
    const host = WATCHED.map((collection) => store.revisionOf(collection))
    const api =
      plane === undefined ? ['none'] : RIGHTS.map((plural) => plane.cluster.store.revisionOf({ group: RBAC, plural }))
    return [metadata.generation, ...host, ...api].join(' ')
  }

  #try(namespace: string, workload: ApiObject): PodFate {
    try {
      requireStarts(
        this.#host.cluster,
        workload,
        this.#api(namespace),
        this.#runs(namespace, 'karmada-aggregated-apiserver'),
      )
      return { fate: 'ready' }
    } catch (error) {
      if (error instanceof ProgramFault) return crashed(error)
      throw error
    }
  }

  #api(namespace: string): Api {
    const plane = this.planeIn(namespace)
    return plane === undefined ? undefined : { cluster: plane.cluster }
  }

  #podPort(pod: ApiObject, port: number): number | undefined {
    const { namespace = '', labels } = pod.metadata
    return labels?.app === 'karmada-apiserver' && port === 5443 ? this.planeIn(namespace)?.podPort : undefined
  }
}
