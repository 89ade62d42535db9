import { writeKubeconfig } from '../functions/kubernetes/kubeconfig/write-kubeconfig.ts'
import type { Behaviour } from './behaviour.ts'
import { bootstrap } from './bootstrap.ts'
import { Cluster } from './cluster.ts'
import { startControllers } from './controllers.ts'
import { type Authority, newAuthority } from './pki.ts'
import { serve } from './server.ts'

export type SimulationOptions = Partial<Behaviour> & {
  /** Name of cluster, context and user in the kubeconfig. Default `simulated`. */
  name?: string
  /** Nodes, the first of which is the control plane. Default 1. */
  nodes?: number
  /** StorageClass `standard`, the default one. Default true. */
  storageClass?: boolean
  /** Default 0: a free one. */
  port?: number
  /** Default: the system's time. For tests of tokens that expire. */
  now?: () => Date
  /** Signs its certificate. Default: one of its own. */
  authority?: Authority
  /** A cluster that another server serves already: this is one more address of it. Default: a new one. */
  cluster?: Cluster
}

export type SimulatedKubernetes = {
  /** Text with one context and the admin's bearer token. */
  kubeconfig: string
  /** `https://127.0.0.1:<port>`. */
  server: string
  caPem: string
  /** The admin's bearer token. */
  token: string
  /** What simulates around the API; may be changed at any time. */
  behaviour: Behaviour
  /** State of the cluster, for stand-ins of what runs in its pods. */
  cluster: Cluster
  /** Lets controllers look again after a change of behaviour. */
  refresh(): void
  close(): Promise<void>
}

/**
 * Starts a simulated Kubernetes API on 127.0.0.1, with TLS of its own authority and state in memory. See README.md for what it
 * does and does not do. It says what it is in `/version` (`v1.36.0+simulated`) and in its nodes' names.
 */
export const startSimulatedKubernetes = async (options: SimulationOptions = {}): Promise<SimulatedKubernetes> => {
  const { name = 'simulated', nodes = 1, storageClass = true, port = 0, now = () => new Date(), ...more } = options
  const { authority = await newAuthority('fedplane simulated Kubernetes CA'), cluster: served, ...behaviour } = more
  const { certificatePem, keyPem } = await authority.issue({
    commonName: 'fedplane-simulated-kubernetes',
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
  })
  const caPem = authority.certificatePem
  const cluster = served ?? new Cluster(caPem, now, behaviour)
  if (served === undefined) bootstrap(cluster, { nodes, storageClass })
  const controllers = served === undefined ? startControllers(cluster) : undefined
  const listener = await serve(cluster, { port, certificatePem, keyPem })
  const access = { server: `https://127.0.0.1:${listener.port}`, caPem, token: cluster.tokens.adminToken }
  return {
    ...access,
    kubeconfig: writeKubeconfig({ name, user: name, server: access.server, caPem, credential: access }),
    behaviour: cluster.behaviour,
    cluster,
    refresh: () => controllers?.refresh(),
    close: async () => {
      controllers?.stop()
      await listener.close()
    },
  }
}
