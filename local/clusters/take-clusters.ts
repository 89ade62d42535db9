import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import type { Assets } from './programs.ts'
import { type StartedCluster, type StartedClusterOptions, startCluster } from './started-cluster.ts'

/** A cluster that the demo and the end-to-end tests register: one context of a kubeconfig. */
export type DemoCluster = {
  /** RFC 1123 label. */
  name: string
  /** Text with everything in it. */
  kubeconfig: string
  /** The context to use in it. */
  context: string
}

/** Where clusters come from. */
type ClusterKind = 'kubeconfig' | 'started' | 'simulated'

/** Clusters taken for a while. `close` gives them back: stops what was started, leaves alone what was not. */
export type ClusterSet<C extends DemoCluster = DemoCluster> = {
  kind: ClusterKind
  /** For people: what kind they are, and how that was chosen. */
  description: string
  clusters: C[]
  /** What the clusters write, while they run; null where it is not ours. */
  logDirectory: string | null
  /** Can be called twice. `keepLogs` leaves the log directory. */
  close(options?: { keepLogs?: boolean }): Promise<void>
}

/** Clusters can't be had, and why. The message is for people. */
export class ClustersUnavailable extends Error {
  override readonly name = 'ClustersUnavailable'
}

export type StartOptions = {
  assets: Assets
  /** Names of the clusters, in order. */
  names: readonly string[]
  /** False: no kube-controller-manager. Default true, where the folder has it. */
  controllers?: boolean
} & Pick<StartedClusterOptions, 'authority' | 'port'>

const once = (close: (keepLogs: boolean) => Promise<void>): ClusterSet['close'] => {
  let closing: Promise<void> | undefined
  return ({ keepLogs = false } = {}) => {
    closing ??= close(keepLogs)
    return closing
  }
}

/** Starts real clusters, all at the same time. @throws Error of the first that failed; then none is left running */
export const startClusters = async ({
  assets,
  names,
  controllers = true,
  ...own
}: StartOptions): Promise<ClusterSet<StartedCluster>> => {
  const directory = await mkdtemp(join(tmpdir(), 'fedplane-clusters-'))
  const starts = await Promise.allSettled(
    names.map((name) => startCluster({ assets, name, folder: join(directory, name), controllers, ...own })),
  )
  const clusters = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  const close = once(async (keepLogs) => {
    await Promise.all(clusters.map((cluster) => cluster.stop()))
    if (!keepLogs) await rm(directory, { recursive: true, force: true })
  })
  const failed = starts.find((start) => start.status === 'rejected')
  if (failed) {
    await close({ keepLogs: true })
    throw failed.reason
  }
  const withControllers = controllers && assets.controllerManager !== null
  const description = `real: etcd and kube-apiserver${withControllers ? ', kube-controller-manager' : ''}, started here`
  return { kind: 'started', description, clusters, logDirectory: directory, close }
}

/** Starts simulated clusters in this process. */
export const simulateClusters = async (names: readonly string[]): Promise<ClusterSet> => {
  const simulated = await Promise.all(
    names.map(async (name) => ({ name, api: await startSimulatedKubernetes({ name }) })),
  )
  const clusters = simulated.map(({ name, api }): DemoCluster => ({ name, kubeconfig: api.kubeconfig, context: name }))
  return {
    kind: 'simulated',
    description: 'SIMULATED by this project; for real ones set KUBEBUILDER_ASSETS or give --kubeconfig FILE',
    clusters,
    logDirectory: null,
    close: once(async () => {
      await Promise.all(simulated.map(({ api }) => api.close()))
    }),
  }
}
