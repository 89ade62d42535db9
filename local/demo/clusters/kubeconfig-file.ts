import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'
import { type ClusterSet, ClustersUnavailable, type DemoCluster } from './cluster-set.ts'
import { withCredential } from './own-credential.ts'

const Kubeconfig = z.looseObject({
  clusters: z.array(z.looseObject({ name: z.string(), cluster: z.looseObject({ server: z.string() }) })),
  contexts: z.array(z.looseObject({ name: z.string(), context: z.looseObject({ cluster: z.string() }) })),
})
type Kubeconfig = z.infer<typeof Kubeconfig>

export type KubeconfigChoice = {
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
