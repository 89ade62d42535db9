import {
  type SimulatedKubernetes,
  type SimulationOptions,
  startSimulatedKubernetes,
} from '../../../simulated-kubernetes/start.ts'
import { type FederationLab, kubernetesLab } from '../drivers/federation-lab.ts'
import { type TestCluster, testCluster } from '../drivers/test-cluster.ts'
import { inControlPlanes } from './in-control-planes.ts'
import { takePort } from './ports.ts'
import { KarmadaStandIn, type StandInOptions } from './stand-in.ts'

export type KarmadaLab = FederationLab & {
  standIn: KarmadaStandIn
  hostServer: SimulatedKubernetes
  memberServers: readonly SimulatedKubernetes[]
  /** Host first. */
  clusters: readonly TestCluster[]
  close(): Promise<void>
}

export type KarmadaLabOptions = StandInOptions & {
  host?: SimulationOptions
  member?: SimulationOptions
  members?: number
}

const NAMES = ['host', 'paris', 'tokyo', 'lima']

/** A simulated host with the stand-in of what runs in its pods, and simulated members. */
export const openKarmadaLab = async ({
  host = {},
  member = {},
  members = 2,
  ...standInOptions
}: KarmadaLabOptions = {}): Promise<KarmadaLab> => {
  const names = Array.from({ length: 1 + Math.max(2, members) }, (_, at) => NAMES[at] ?? `member-${at}`)
  const servers = await Promise.all(names.map((_, index) => startSimulatedKubernetes(index === 0 ? host : member)))
  const clusters = await Promise.all(
    servers.map(({ kubeconfig }, index) => testCluster(names[index] ?? '', kubeconfig)),
  )
  const [hostServer, ...memberServers] = servers
  const [hostCluster, first, second, ...more] = clusters
  if (hostServer === undefined || hostCluster === undefined || first === undefined || second === undefined) {
    throw new Error('three servers are needed')
  }
  const standIn = new KarmadaStandIn(hostServer, standInOptions)
  return {
    ...inControlPlanes(kubernetesLab(hostCluster, [first, second, ...more])),
    standIn,
    hostServer,
    memberServers,
    clusters,
    close: async () => {
      await standIn.close()
      for (const cluster of clusters) cluster.close()
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

let federations = 0

/** Properties of one more federation: each has a namespace and a port of its own, so that they share host and address. */
export const ownProperties = (): Record<string, string> => {
  federations += 1
  return { namespace: `federation-${federations}`, 'api-port': String(takePort()) }
}
