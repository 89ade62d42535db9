import { CliError } from '../../cli/errors.ts'
import {
  clusterNameOf,
  contextOf,
  kubeconfigOf,
  type LocalKubeconfig,
  loadKubeconfig,
} from '../../cli/kubeconfig/local-kubeconfig.ts'
import { withCredential } from '../../cli/kubeconfig/plugin-credential.ts'
import { findAssets } from '../clusters/programs.ts'
import {
  type ClusterSet,
  ClustersUnavailable,
  type DemoCluster,
  simulateClusters,
  startClusters,
} from '../clusters/take-clusters.ts'
import type { DemoOptions } from './options.ts'

type KubeconfigChoice = {
  file: string
  /** Context names; default: the first context of each API server, in the order of the file. */
  contexts?: readonly string[] | undefined
}

/** What the command line says of a kubeconfig, as the demo's own error. */
const unavailable = (error: unknown): unknown =>
  error instanceof CliError
    ? new ClustersUnavailable(`${error.message} Try: ${error.remedy ?? '--kubeconfig'}`, { cause: error })
    : error

/** One context for each API server: two contexts of one cluster can't be two members. */
const distinctContexts = (config: LocalKubeconfig): string[] => {
  const byServer = new Map<unknown, string>()
  for (const name of config.contexts.keys()) {
    const { server } = contextOf(config, name).cluster
    if (!byServer.has(server)) byServer.set(server, name)
  }
  return [...byServer.values()]
}

/** The cluster with a kubeconfig that needs nothing of this machine: exec plugins are run and files are read, as kubectl does. */
const contained = async (config: LocalKubeconfig, name: string): Promise<DemoCluster> => {
  const context = contextOf(config, name)
  const whole = await withCredential(context)
  return { name: clusterNameOf(name), context: name, kubeconfig: kubeconfigOf(whole) }
}

const chosenOf = (config: LocalKubeconfig, count: number, { file, contexts }: KubeconfigChoice): string[] => {
  const chosen = (contexts ?? distinctContexts(config)).slice(0, count)
  for (const name of chosen) contextOf(config, name)
  if (chosen.length === count) return chosen
  throw new ClustersUnavailable(
    `${count} clusters are needed, and ${file} has contexts of ${chosen.length} different API servers. Add contexts, or leave the option out.`,
  )
}

/**
 * Takes contexts of a person's own kubeconfig. Starts and stops nothing; a context's plugin is run once the clusters are taken.
 *
 * @throws ClustersUnavailable when the file can't be read, has too few, or lacks a chosen one
 */
export const clustersOfKubeconfig = (count: number, choice: KubeconfigChoice): (() => Promise<ClusterSet>) => {
  try {
    const config = loadKubeconfig({}, choice.file)
    const chosen = chosenOf(config, count, choice)
    const description = `your own: contexts ${chosen.join(', ')} of ${choice.file}`
    return async () => {
      const clusters = await Promise.all(chosen.map((name) => contained(config, name))).catch((error: unknown) => {
        throw unavailable(error)
      })
      return { kind: 'kubeconfig', description, clusters, logDirectory: null, close: async () => undefined }
    }
  } catch (error) {
    throw unavailable(error)
  }
}

/** Host first. The names of the tour in the README. */
const NAMES = ['hub', 'edge-1', 'edge-2'] as const

/**
 * Chooses clusters: your own, real ones started here, simulated ones. Starts nothing; what it returns does.
 *
 * @throws ClustersUnavailable
 */
export const chooseDemoClusters = (
  { kubeconfig, contexts }: DemoOptions,
  assetsFolder: string | undefined,
): (() => Promise<ClusterSet>) => {
  if (kubeconfig !== undefined) return clustersOfKubeconfig(NAMES.length, { file: kubeconfig, contexts })
  if (!assetsFolder) return () => simulateClusters(NAMES)
  const assets = findAssets(assetsFolder)
  if (assets !== null) return () => startClusters({ assets, names: NAMES })
  throw new ClustersUnavailable(
    `KUBEBUILDER_ASSETS is ${assetsFolder}, where no etcd and kube-apiserver can be run. Correct it, or unset it for simulated clusters.`,
  )
}
