import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { parse } from 'yaml'
import * as z from 'zod'
import { writeKubeconfig } from '../../functions/kubernetes/kubeconfig/write-kubeconfig.ts'
import { findAssets } from '../clusters/programs.ts'
import {
  type ClusterSet,
  ClustersUnavailable,
  type DemoCluster,
  simulateClusters,
  startClusters,
} from '../clusters/take-clusters.ts'
import type { DemoOptions } from './options.ts'

/** Loads whatever kubectl loads, also what fedplane's intake refuses: the file is the person's own, on their machine. */
const load = async (file: string): Promise<KubeConfig> => {
  // A quarter of a second of processor time, which only this way of the demo needs.
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromFile(file, { onInvalidEntry: 'filter' })
  return config
}

/** Fields by which a kubeconfig names programs and files of this machine. */
const OF_THIS_MACHINE = [
  'exec',
  'auth-provider',
  'tokenFile',
  'client-certificate',
  'client-key',
  'certificate-authority',
]

const Kubeconfig = z.looseObject({
  clusters: z.array(z.looseObject({ name: z.string(), cluster: z.looseObject({ server: z.string() }) })),
  users: z.array(z.looseObject({ name: z.string() })).nullish(),
  contexts: z.array(
    z.looseObject({ name: z.string(), context: z.looseObject({ cluster: z.string(), user: z.string().optional() }) }),
  ),
})
type Kubeconfig = z.infer<typeof Kubeconfig>

const namesProgramOrFile = ({ kubeconfig, context: wanted }: DemoCluster): boolean => {
  const { data } = Kubeconfig.safeParse(parse(kubeconfig))
  const context = data?.contexts.find(({ name }) => name === wanted)?.context
  const entries = [
    data?.clusters.find(({ name }) => name === context?.cluster)?.cluster,
    data?.users?.find(({ name }) => name === context?.user)?.user,
  ]
  return entries.some((entry) => OF_THIS_MACHINE.some((field) => Object.hasOwn(Object(entry), field)))
}

const BEARER = /^Bearer (.+)$/

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined

const credentialOf = ({ headers, cert, key }: RequestOptions) => {
  const [, token] = BEARER.exec(String((headers as Record<string, unknown> | undefined)?.Authorization ?? '')) ?? []
  if (token !== undefined) return { token }
  const [certificatePem, keyPem] = [textOf(cert), textOf(key)]
  return certificatePem === undefined || keyPem === undefined ? undefined : { certificatePem, keyPem }
}

/** Undefined for a context without server or credential: registering says what is wrong with it. */
const contained = async (config: KubeConfig, context: string): Promise<string | undefined> => {
  config.setCurrentContext(context)
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()]
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  const credential = credentialOf(options)
  if (cluster === null || user === null || credential === undefined) return undefined
  const caPem = textOf(options.ca)
  return writeKubeconfig({
    name: context,
    user: user.name,
    server: cluster.server,
    ...(caPem === undefined ? {} : { caPem }),
    ...(cluster.tlsServerName === undefined ? {} : { tlsServerName: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify ? { isInsecure: true } : {}),
    credential,
  })
}

/**
 * The cluster with a kubeconfig that needs nothing of this machine: exec plugins are run and files are read by client-node, as kubectl does. One that
 * names none of them stays as it is.
 *
 * @throws ClustersUnavailable naming the program, never its output, which may hold a token
 */
const withCredential = async (cluster: DemoCluster, file: string): Promise<DemoCluster> => {
  if (!namesProgramOrFile(cluster)) return cluster
  try {
    const kubeconfig = await contained(await load(file), cluster.context)
    return kubeconfig === undefined ? cluster : { ...cluster, kubeconfig }
  } catch {
    throw new ClustersUnavailable(
      `The credential of context ${cluster.context} in ${file} can't be had: the program or file that it names fails. ` +
        `Try kubectl --kubeconfig ${file} --context ${cluster.context} get namespaces, which says why.`,
    )
  }
}

type KubeconfigChoice = {
  file: string
  /** Context names; default: the first context of each API server, in the order of the file. */
  contexts?: readonly string[] | undefined
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is none',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    const fault = FAULTS[code] ?? code
    throw new ClustersUnavailable(`The kubeconfig ${file} can't be read: ${fault}. Correct --kubeconfig.`, { cause })
  }
}

/** Undefined for what is no YAML: the parser's message would quote the text, which holds credentials. */
const parseYaml = (text: string): unknown => {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

const readKubeconfig = (file: string): { text: string; parsed: Kubeconfig } => {
  const text = readText(file)
  const parsed = Kubeconfig.safeParse(parseYaml(text))
  if (parsed.success) return { text, parsed: parsed.data }
  throw new ClustersUnavailable(
    `The file ${file} is not a kubeconfig with clusters and contexts. Correct --kubeconfig.`,
  )
}

/** One context for each API server: two contexts of one cluster can't be two members. */
const distinctContexts = ({ clusters, contexts }: Kubeconfig): string[] => {
  const serverOf = new Map(clusters.map(({ name, cluster }) => [name, cluster.server]))
  const byServer = new Map<string | undefined, string>()
  for (const { name, context } of contexts) {
    const server = serverOf.get(context.cluster)
    if (!byServer.has(server)) byServer.set(server, name)
  }
  return [...byServer.values()]
}

const toName = (context: string): string =>
  context
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40) || 'cluster'

/**
 * Takes contexts of somebody's own kubeconfig. Starts and stops nothing: what a context's credential needs is run by `withCredentials`.
 *
 * @throws ClustersUnavailable when the file can't be read, has too few, or lacks a chosen one
 */
export const clustersOfKubeconfig = (count: number, { file, contexts }: KubeconfigChoice): ClusterSet => {
  const { text, parsed } = readKubeconfig(file)
  const known = new Set(parsed.contexts.map(({ name }) => name))
  const chosen = (contexts ?? distinctContexts(parsed)).slice(0, count)
  const missing = chosen.filter((name) => !known.has(name))
  if (missing.length > 0)
    throw new ClustersUnavailable(`${file} has no context ${missing.join(', ')}; it has ${[...known].join(', ')}.`)
  if (chosen.length < count) {
    throw new ClustersUnavailable(
      `${count} clusters are needed, and ${file} has contexts of ${chosen.length} different API servers. Add contexts, or leave the option out.`,
    )
  }
  const clusters = chosen.map((context): DemoCluster => ({ name: toName(context), kubeconfig: text, context }))
  const description = `your own: contexts ${chosen.join(', ')} of ${file}`
  return { kind: 'kubeconfig', description, clusters, logDirectory: null, close: async () => undefined }
}

/** The same clusters with credentials that need nothing of this machine. @throws ClustersUnavailable when one can't be had */
export const withCredentials = async (set: ClusterSet, file: string): Promise<ClusterSet> => ({
  ...set,
  clusters: await Promise.all(set.clusters.map((cluster) => withCredential(cluster, file))),
})

/** Host first. */
const NAMES = ['amsterdam', 'berlin', 'cairo'] as const

/**
 * Chooses clusters: your own, real ones started here, simulated ones. Starts nothing; what it returns does.
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
