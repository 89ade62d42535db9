import type { AggregatedApi, WebhookAnswer, WebhookCall } from '../../../simulated-kubernetes/behaviour.ts'
import { bootstrap, createInNamespace } from '../../../simulated-kubernetes/bootstrap.ts'
import { Cluster } from '../../../simulated-kubernetes/cluster.ts'
import { type Controllers, startControllers } from '../../../simulated-kubernetes/controllers.ts'
import { serve } from '../../../simulated-kubernetes/server.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import { CEL_SIMULATIONS } from './cel-simulates.ts'

const RBAC = 'rbac.authorization.k8s.io'

export type ServingFiles = { certificatePem: string; keyPem: string; clientCaPem: string }

/** Roles that kube-apiserver makes, and that Karmada's components need. */
const bootstrapRoles = (cluster: Cluster): void => {
  const role = (name: string, rules: object[]) =>
    createInNamespace(
      cluster,
      { group: RBAC, plural: 'clusterroles' },
      { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', name },
      { rules },
    )
  const create = (group: string, resource: string) => ({ apiGroups: [group], resources: [resource], verbs: ['create'] })
  role('system:auth-delegator', [
    create('authentication.k8s.io', 'tokenreviews'),
    create('authorization.k8s.io', 'subjectaccessreviews'),
  ])
  role('system:kube-controller-manager', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  ])
  createInNamespace(
    cluster,
    { group: RBAC, plural: 'clusterrolebindings' },
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', name: 'system:kube-controller-manager' },
    {
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'system:kube-controller-manager' },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: 'system:kube-controller-manager' }],
    },
  )
  createInNamespace(
    cluster,
    { group: RBAC, plural: 'roles' },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      name: 'extension-apiserver-authentication-reader',
      namespace: 'kube-system',
    },
    {
      rules: [
        {
          apiGroups: [''],
          resources: ['configmaps'],
          resourceNames: ['extension-apiserver-authentication'],
          verbs: ['get', 'list', 'watch'],
        },
      ],
    },
  )
}

/** Answers that depend on what else runs in the host. */
export type Surroundings = {
  aggregated(apiService: ApiObject): AggregatedApi
  callWebhook(call: WebhookCall): WebhookAnswer
}

type Listener = { key: string; port: number; close(): Promise<void> }

/** A control plane's API: its content lives as long as etcd's volume, its servers come and go. */
export class ControlPlane {
  readonly cluster: Cluster
  readonly #controllers: Controllers
  #listeners = new Map<string, Listener>()
  /** One change at a time. */
  #turn: Promise<void> = Promise.resolve()

  constructor(caPem: string, surroundings: Surroundings) {
    this.cluster = new Cluster(caPem, () => new Date(), {
      tokenController: false,
      namespaceController: false,
      garbageCollector: false,
      workloadControllers: false,
      celSimulations: CEL_SIMULATIONS,
      ...surroundings,
    })
    bootstrap(this.cluster, { nodes: 0, storageClass: false })
    bootstrapRoles(this.cluster)
    this.#controllers = startControllers(this.cluster)
  }

  /** Port of the listener that only `pods/portforward` reaches; undefined while the server is down. */
  get podPort(): number | undefined {
    return this.#listeners.get('pod')?.port
  }

  get isServing(): boolean {
    return this.podPort !== undefined
  }

  /** kube-controller-manager runs or not. */
  setControllers(isRunning: boolean): void {
    const { behaviour } = this.cluster
    behaviour.namespaceController = isRunning
    behaviour.garbageCollector = isRunning
    behaviour.tokenController = isRunning
    this.#controllers.refresh()
  }

  refresh(): void {
    this.#controllers.refresh()
  }

  /** Serves at these ports of 127.0.0.1, and at one for its pods; nowhere without files. */
  async serveAt(files: ServingFiles | undefined, ports: readonly number[]): Promise<void> {
    const turn = this.#turn.then(() => this.#change(files, ports))
    this.#turn = turn.catch(() => undefined)
    await turn
  }

  async close(): Promise<void> {
    this.#controllers.stop()
    await this.serveAt(undefined, [])
  }

  async #change(files: ServingFiles | undefined, ports: readonly number[]): Promise<void> {
    const wanted = new Map<string, number>(
      files === undefined ? [] : [['pod', 0], ...ports.map((port) => [String(port), port] as [string, number])],
    )
    const key = JSON.stringify(files)
    for (const [name, listener] of this.#listeners) {
      if (wanted.has(name) && listener.key === key) continue
      this.#listeners.delete(name)
      await listener.close()
    }
    if (files === undefined) return
    for (const [name, port] of wanted) {
      if (this.#listeners.has(name)) continue
      const listener = await serve(this.cluster, { port, minVersion: 'TLSv1.3', ...files })
      this.#listeners.set(name, { key, ...listener })
    }
  }
}
