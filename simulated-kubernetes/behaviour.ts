import type { ApiObject, ResourceType } from './types.ts'

/** What becomes of a workload's pods. */
export type PodFate =
  /** They run and are Ready. */
  | { fate: 'ready' }
  /** They are placed, and a container waits: `ImagePullBackOff`, `CrashLoopBackOff`, … */
  | { fate: 'waiting'; reason: string; message: string }
  /** No node takes them. */
  | { fate: 'unschedulable'; message: string }
  /** The API server does not admit them: quota, PodSecurity. */
  | { fate: 'refused'; message: string }

/** What becomes of a Service of type LoadBalancer; undefined: nothing ever. */
export type BalancerAddress = { ip: string } | { hostname: string } | undefined

/** What calling a webhook ends in. */
export type WebhookAnswer = { answer: 'allowed' } | { answer: 'denied'; message: string } | { answer: 'unreachable' }

export type WebhookCall = {
  /** `clientConfig.url`, or `https://name.namespace.svc:port/path` of its service. */
  url: string
  /** Base64 of the PEM that its certificate is checked with. */
  caBundle: string
  webhook: string
  operation: string
  object: ApiObject | undefined
}

/** Another API server behind this one: what it serves, or why it can't be used (reason and message of condition Available). */
export type AggregatedApi = { types: readonly ResourceType[] } | { reason: string; message: string }

/** What a CEL expression of a policy comes to: the simulation evaluates none, so tests play those that they need. */
export type CelSimulation = (object: ApiObject | undefined, oldObject: ApiObject | undefined) => boolean

/** What simulates around a simulated API. Tests change it while it runs; `SimulatedKubernetes.refresh` makes controllers look again. */
export type Behaviour = {
  /** Fills Secrets of type service-account-token. Default true. */
  tokenController: boolean
  /** Empties and removes namespaces under deletion. Default true; without it they stay Terminating. */
  namespaceController: boolean
  /** Why a namespace under deletion does not go (condition NamespaceContentRemaining); undefined: it goes. */
  namespaceBlocker(name: string): string | undefined
  /** Deletes objects whose owners are all gone. Default true. */
  garbageCollector: boolean
  /** Makes pods of Deployments and StatefulSets, and reports on them. Default true. */
  workloadControllers: boolean
  /** Default: all are ready. */
  podFate(workload: ApiObject): PodFate
  /** Port of 127.0.0.1 that stands for a pod's, for `pods/portforward`. Default: nothing listens. */
  podPort(pod: ApiObject, port: number): number | undefined
  /** Default: 127.0.0.1. */
  balancerAddress(service: ApiObject): BalancerAddress
  /** Binds claims whose StorageClass is there. Default true. */
  provisioner: boolean
  /** Default: unreachable. */
  callWebhook(call: WebhookCall): WebhookAnswer
  /** CEL expressions of admission policies, with their variables put in: one that is not here is an error. Default: none. */
  celSimulations: Readonly<Record<string, CelSimulation>>
  /** Default: its Service is not there. */
  aggregated(apiService: ApiObject): AggregatedApi
}

export const defaultBehaviour = (): Behaviour => ({
  tokenController: true,
  namespaceController: true,
  namespaceBlocker: () => undefined,
  garbageCollector: true,
  workloadControllers: true,
  podFate: () => ({ fate: 'ready' }),
  podPort: () => undefined,
  balancerAddress: () => ({ ip: '127.0.0.1' }),
  provisioner: true,
  callWebhook: () => ({ answer: 'unreachable' }),
  celSimulations: {},
  aggregated: ({ spec }) => {
    const { name, namespace } = (spec as { service: { name: string; namespace: string } }).service
    return { reason: 'ServiceNotFound', message: `service/${name} in "${namespace}" is not present` }
  },
})
