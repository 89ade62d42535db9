import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import type { Assets } from './assets.ts'
import type { ClusterSet, DemoCluster } from './cluster-set.ts'
import { type StartedCluster, type StartedClusterOptions, startCluster } from './started-cluster.ts'

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
