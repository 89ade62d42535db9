import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { stringify } from 'yaml'
import { bootstrap } from './bootstrap.ts'
import { Cluster } from './cluster.ts'
import { startControllers } from './controllers.ts'
import { newAuthority } from './pki.ts'
import { listenerFor } from './server.ts'

export type SimulationOptions = {
  /** Name of cluster, context and user in the kubeconfig. Default `simulated`. */
  name?: string
  /** Fills Secrets of type service-account-token. Default true. */
  tokenController?: boolean
  /** Empties and removes namespaces under deletion. Default true; without it they stay Terminating. */
  namespaceController?: boolean
  /** Nodes, the first of which is the control plane. Default 1. */
  nodes?: number
  /** Default 0: a free one. */
  port?: number
  /** Default: the system's time. For tests of tokens that expire. */
  now?: () => Date
}

export type SimulatedKubernetes = {
  /** YAML with one context and the admin's bearer token. */
  kubeconfig: string
  /** `https://127.0.0.1:<port>`. */
  server: string
  caPem: string
  /** The admin's bearer token. */
  token: string
  close(): Promise<void>
}

const kubeconfigOf = (
  name: string,
  { server, caPem, token }: Omit<SimulatedKubernetes, 'kubeconfig' | 'close'>,
): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  })

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)))
    server.closeAllConnections()
  })

/**
 * Starts a simulated Kubernetes API on 127.0.0.1, with TLS of its own authority and state in memory. See README.md for what it
 * does and does not do. It says what it is in `/version` (`v1.36.0+simulated`) and in its nodes' names.
 */
export const startSimulatedKubernetes = async (options: SimulationOptions = {}): Promise<SimulatedKubernetes> => {
  const { name = 'simulated', tokenController = true, namespaceController = true, nodes = 1, port = 0 } = options
  const authority = await newAuthority('fedplane simulated Kubernetes CA')
  const { certificatePem, keyPem } = await authority.issue({
    commonName: 'fedplane-simulated-kubernetes',
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
  })
  const caPem = authority.certificatePem
  const cluster = new Cluster(caPem, options.now ?? (() => new Date()))
  bootstrap(cluster, nodes)
  const server = createServer({ cert: certificatePem, key: keyPem }, listenerFor(cluster))
  const stopControllers = startControllers(cluster, { tokenController, namespaceController })
  const bound = await listen(server, port)
  const access = { server: `https://127.0.0.1:${bound}`, caPem, token: cluster.tokens.adminToken }
  return {
    ...access,
    kubeconfig: kubeconfigOf(name, access),
    close: async () => {
      stopControllers()
      await close(server)
    },
  }
}
