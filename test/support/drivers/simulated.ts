import {
  type SimulatedKubernetes,
  type SimulationOptions,
  startSimulatedKubernetes,
} from '../../../simulated-kubernetes/start.ts'
import { type TestCluster, testCluster } from './test-cluster.ts'

export type SimulatedClusters = { clusters: TestCluster[]; servers: SimulatedKubernetes[]; close(): Promise<void> }

/** Simulated API servers, one for each name, registered under it. */
export const simulatedClusters = async (
  names: readonly string[],
  options: SimulationOptions = {},
): Promise<SimulatedClusters> => {
  const servers = await Promise.all(names.map(() => startSimulatedKubernetes(options)))
  const clusters = await Promise.all(
    servers.map(({ kubeconfig }, index) => testCluster(names[index] ?? '', kubeconfig)),
  )
  return {
    clusters,
    servers,
    close: async () => {
      for (const cluster of clusters) cluster.close()
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}
