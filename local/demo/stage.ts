import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import { createLogger } from '../logger.ts'
import { type Fedplane, startFedplane } from '../server.ts'
import { Api } from './api.ts'
import { findAssets } from './clusters/assets.ts'
import { type ClusterSet, ClustersUnavailable } from './clusters/cluster-set.ts'
import { clustersOfKubeconfig, withCredentials } from './clusters/kubeconfig-file.ts'
import { clientOf } from './clusters/started-cluster.ts'
import { simulateClusters, startClusters } from './clusters/take-clusters.ts'
import type { DemoOptions } from './options.ts'

/** Host first. */
const NAMES = ['amsterdam', 'berlin', 'cairo'] as const

/**
 * Chooses clusters for the demo, in the order of issue 3 point 2: your own, real ones started here, simulated ones. Starts nothing;
 * what it returns does.
 *
 * @throws ClustersUnavailable
 */
export const chooseDemoClusters = (
  { kubeconfig, contexts }: DemoOptions,
  assetsFolder: string | undefined,
): (() => Promise<ClusterSet>) => {
  if (kubeconfig !== undefined) {
    const own = clustersOfKubeconfig(NAMES.length, { file: kubeconfig, contexts })
    return () => withCredentials(own, kubeconfig)
  }
  if (!assetsFolder) return () => simulateClusters(NAMES)
  const assets = findAssets(assetsFolder)
  if (assets !== null) return () => startClusters({ assets, names: NAMES })
  throw new ClustersUnavailable(
    `KUBEBUILDER_ASSETS is ${assetsFolder}, where no etcd and kube-apiserver can be run. Correct it, or unset it for simulated clusters.`,
  )
}

/** Everything that the demo holds open. */
export type Stage = {
  fedplane: Fedplane
  api: Api
  set: ClusterSet
  /** Clients of the clusters themselves, in their order. */
  clients: KubernetesClient[]
}

/** The server's log, in a folder that stays when something fails. */
export const openLog = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fedplane-demo-'))
  const file = join(folder, 'fedplane.log')
  const stream = createWriteStream(file, { mode: 0o600 })
  let written = false
  const write = (line: string): void => {
    written = true
    stream.write(`${line}\n`)
  }
  const log = createLogger({ level: 'info', write })
  const close = async ({ keep }: { keep: boolean }): Promise<void> => {
    await new Promise<void>((resolve) => stream.end(resolve))
    if (!keep) await rm(folder, { recursive: true, force: true })
  }
  return { file, log, written: () => written, close }
}
export type DemoLog = Awaited<ReturnType<typeof openLog>>

/** Starts fedplane in this process, on a free port, with a temporary data directory. */
export const startServer = async (log: DemoLog, signal: AbortSignal): Promise<Pick<Stage, 'fedplane' | 'api'>> => {
  const fedplane = await startFedplane({ port: 0, log: log.log })
  return { fedplane, api: new Api(fedplane.url, { signal }) }
}

export const openClients = (set: ClusterSet): KubernetesClient[] => set.clusters.map((cluster) => clientOf(cluster))
