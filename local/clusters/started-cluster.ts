import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localPolicy } from '../../functions/kubernetes/address-guard.ts'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import { connectWith } from '../../functions/kubernetes/connect.ts'
import { parseKubeconfig } from '../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { connectionTo } from '../../functions/kubernetes/stored-connection.ts'
import { type ClusterAuthority, type ClusterFiles, makeClusterFiles } from './cluster-files.ts'
import { type Assets, freePort, type GuardedChild, killProgram, startProgram, untilReady } from './programs.ts'
import type { DemoCluster } from './take-clusters.ts'

/** A real control plane without nodes, started here. */
export type StartedCluster = DemoCluster & {
  /** Ends the API server as a crash would (SIGKILL). etcd stays. */
  kill(): Promise<void>
  /** Starts the API server again after `kill`, at the same address. */
  revive(): Promise<void>
  /** Starts another, empty cluster after `kill`: the same address, authority and accounts of administrators. Until `kill`. */
  replace(): Promise<void>
  stop(): Promise<void>
}

export type StartedClusterOptions = {
  assets: Assets
  name: string
  /** Of this cluster alone. */
  folder: string
  /** False: no kube-controller-manager, so no tokens in Secrets and no end of namespaces. */
  controllers: boolean
  /** Who signs its certificates. Default: an authority of its own. */
  authority?: ClusterAuthority
  /** Of the API server. Default: a free one. */
  port?: number
}

const CONTROLLERS = [
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'garbage-collector-controller',
  'clusterrole-aggregation-controller',
]

/** Another program may take a free port between our look and the bind. */
const ATTEMPTS = 3

const etcdFlags = (folder: string, port: number): string[] => [
  `--data-dir=${join(folder, 'etcd')}`,
  `--listen-client-urls=http://127.0.0.1:${port}`,
  `--advertise-client-urls=http://127.0.0.1:${port}`,
  '--listen-peer-urls=http://127.0.0.1:0',
  // Nothing here outlives its demo or test.
  '--unsafe-no-fsync',
  '--log-level=warn',
]

/** Keys of etcd, of the cluster and of one in its place. */
const PREFIXES = { own: '/registry', other: '/other' } as const

const apiServerFlags = (files: ClusterFiles, etcdPort: number, port: number): string[] => [
  `--etcd-servers=http://127.0.0.1:${etcdPort}`,
  '--bind-address=127.0.0.1',
  '--advertise-address=127.0.0.1',
  `--secure-port=${port}`,
  '--endpoint-reconciler-type=none',
  '--authorization-mode=Node,RBAC',
  `--client-ca-file=${files.caPath}`,
  `--tls-cert-file=${files.certificatePath}`,
  `--tls-private-key-file=${files.keyPath}`,
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--service-account-key-file=${files.accountPublicKeyPath}`,
  `--service-account-signing-key-file=${files.accountKeyPath}`,
  '--service-cluster-ip-range=10.96.0.0/24',
  '--profiling=false',
]

const controllerFlags = (files: ClusterFiles, kubeconfigPath: string): string[] => [
  `--kubeconfig=${kubeconfigPath}`,
  '--leader-elect=false',
  '--bind-address=127.0.0.1',
  '--secure-port=0',
  `--root-ca-file=${files.caPath}`,
  `--service-account-private-key-file=${files.accountKeyPath}`,
  `--controllers=${CONTROLLERS.join(',')}`,
  '--kube-api-qps=200',
  '--kube-api-burst=400',
  '--profiling=false',
]

/** The product's own client of a cluster in a kubeconfig, on this machine. The caller closes it. */
export const clientOf = ({ kubeconfig, context }: Pick<DemoCluster, 'kubeconfig' | 'context'>): KubernetesClient => {
  const { endpoint, credential } = parseKubeconfig(kubeconfig, { context, now: new Date() })
  return connectWith({ policy: localPolicy })(connectionTo(endpoint, credential))
}

const DEFAULT_ACCOUNT = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: 'default' }

/** What runs of one cluster, in the order in which it was started. */
class Control {
  readonly #options: StartedClusterOptions
  readonly #files: ClusterFiles
  readonly #children: GuardedChild[] = []
  readonly #etcdPort: number
  readonly #port: number
  readonly cluster: DemoCluster
  #apiServer: GuardedChild | undefined

  constructor(options: StartedClusterOptions, files: ClusterFiles, ports: { etcd: number; api: number }) {
    this.#options = options
    this.#files = files
    this.#etcdPort = ports.etcd
    this.#port = ports.api
    const { name } = options
    this.cluster = { name, context: name, kubeconfig: files.kubeconfigFor(`https://127.0.0.1:${ports.api}`) }
  }

  async start(): Promise<void> {
    const { assets, folder, controllers } = this.#options
    this.#children.push(await startProgram(assets.etcd, folder, 'etcd', etcdFlags(folder, this.#etcdPort)))
    await this.startApiServer()
    if (controllers && assets.controllerManager !== null) await this.#startControllers(assets.controllerManager)
  }

  async startApiServer(which: keyof typeof PREFIXES = 'own'): Promise<void> {
    const { assets, folder } = this.#options
    const prefix = `--etcd-prefix=${PREFIXES[which]}`
    const flags = [...apiServerFlags(this.#files, this.#etcdPort, this.#port), prefix]
    const child = await startProgram(assets.apiServer, folder, 'kube-apiserver', flags)
    this.#children.push(child)
    this.#apiServer = child
    await this.#until('kube-apiserver', child, async (client) => (await client.raw('/readyz')).status === 200)
  }

  async killApiServer(): Promise<void> {
    if (this.#apiServer) await killProgram(this.#apiServer)
  }

  /** etcd last, so that nobody waits for it. */
  async stop(): Promise<void> {
    for (const child of this.#children.toReversed()) await child.stop()
  }

  async #startControllers(program: string): Promise<void> {
    const { folder } = this.#options
    const path = join(folder, 'controllers.kubeconfig')
    await writeFile(path, this.cluster.kubeconfig, { mode: 0o600 })
    const child = await startProgram(program, folder, 'kube-controller-manager', controllerFlags(this.#files, path))
    this.#children.push(child)
    // The account is a controller's work: when it is there, they run.
    await this.#until('kube-controller-manager', child, async (client) => {
      return (await client.get(DEFAULT_ACCOUNT, 'default')) !== undefined
    })
  }

  async #until(
    program: string,
    child: GuardedChild,
    holds: (client: KubernetesClient) => Promise<boolean>,
  ): Promise<void> {
    const client = clientOf(this.cluster)
    const { folder, name } = this.#options
    const waiting = { what: `${program} of ${name}`, child, log: join(folder, `${program}.log`) }
    await untilReady(waiting, () => holds(client)).finally(() => client.close())
  }
}

const startOnce = async (options: StartedClusterOptions): Promise<Control> => {
  const files = await makeClusterFiles(options.folder, options.name, options.authority)
  const control = new Control(options, files, { etcd: await freePort(), api: options.port ?? (await freePort()) })
  try {
    await control.start()
    return control
  } catch (error) {
    await control.stop()
    throw error
  }
}

/**
 * Starts a real control plane on 127.0.0.1: etcd, kube-apiserver and, where wanted and there, kube-controller-manager. All of it ends
 * with this process, even on SIGKILL.
 */
export const startCluster = async (options: StartedClusterOptions): Promise<StartedCluster> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const folder = join(options.folder, String(attempt))
      const control = await startOnce({ ...options, folder })
      return {
        ...control.cluster,
        kill: () => control.killApiServer(),
        revive: () => control.startApiServer(),
        replace: () => control.startApiServer('other'),
        stop: () => control.stop(),
      }
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }
}
