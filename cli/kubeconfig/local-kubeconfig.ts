import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { CliError, EXIT, usageError } from '../errors.ts'
import { homeOf } from '../files.ts'
import { type Environment, textOf } from '../io.ts'

/** Entries as they stand in the file: fields that we do not know are kept. */
const Fields = z.record(z.string(), z.unknown()).nullish()
const listOf = <T extends z.ZodType>(entry: T) =>
  z
    .array(entry.nullish())
    .nullish()
    // kubectl makes an entry without a name of a null, which nothing can name.
    .transform((list) => (list ?? []).filter((each) => each != null))
const Name = z.union([z.string(), z.number()]).transform(String)

const Kubeconfig = z.looseObject({
  'current-context': Name.nullish(),
  clusters: listOf(z.object({ name: Name, cluster: Fields })),
  users: listOf(z.object({ name: Name, user: Fields })),
  contexts: listOf(z.object({ name: Name, context: z.looseObject({ cluster: Name, user: Name }) })),
})

type Entry = Record<string, unknown>
export type LocalContext = { cluster: string; user: string }

/** What kubectl knows: the entries of all its files, by name. */
export type LocalKubeconfig = {
  /** For messages. */
  files: string[]
  currentContext: string | undefined
  clusters: ReadonlyMap<string, Entry>
  users: ReadonlyMap<string, Entry>
  contexts: ReadonlyMap<string, LocalContext>
}

/**
 * Files that kubectl reads, in their order: `--kubeconfig`, else those of `KUBECONFIG`, else `~/.kube/config`
 * (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files).
 */
export const kubeconfigFiles = (env: Environment, given?: string): string[] => {
  if (given) return [given]
  const listed = (env.KUBECONFIG ?? '').split(path.delimiter).filter((file) => file !== '')
  return listed.length > 0 ? [...new Set(listed)] : [path.join(homeOf(env), '.kube', 'config')]
}

const readFile = (file: string, mustExist: boolean): Buffer | undefined => {
  try {
    return readFileSync(file)
  } catch (cause) {
    if (!mustExist && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CliError(`The kubeconfig ${file} can't be read (${(cause as NodeJS.ErrnoException).code}).`, {
      exitCode: EXIT.usage,
      remedy: '--kubeconfig FILE',
      cause,
    })
  }
}

/** Fields that name files, which are relative to the folder of the kubeconfig. */
const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']

const withAbsolutePaths = (entry: Entry, folder: string): Entry =>
  Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [
      key,
      PATHS.includes(key) && typeof value === 'string' && value !== '' ? path.resolve(folder, value) : value,
    ]),
  )

/** kubectl reads the first document of a file, and no other. @throws what the parser says of it */
const firstDocument = (text: string): unknown => {
  const [document] = parseAllDocuments(text, { version: '1.1', merge: true })
  if (document?.errors[0]) throw document.errors[0]
  return document?.toJS()
}

const parseFile = (text: string, file: string): z.infer<typeof Kubeconfig> => {
  try {
    return Kubeconfig.parse(firstDocument(text) ?? {})
  } catch (cause) {
    // What the parser says quotes the text, which holds credentials.
    throw new CliError(`${file} is no kubeconfig.`, {
      exitCode: EXIT.usage,
      remedy: `kubectl --kubeconfig ${file} config view`,
      cause,
    })
  }
}

/** By name; what was there before stays, so the first file that has an entry wins. @throws CliError for a name twice in one file */
const addAll = <T>(into: Map<string, T>, entries: readonly (readonly [string, T])[], file: string): void => {
  const twice = entries.find(([name], index) => entries.findIndex(([other]) => other === name) !== index)
  if (twice)
    throw new CliError(`${file} has two entries of the name ${twice[0]}.`, {
      exitCode: EXIT.usage,
      remedy: 'Rename one of them.',
    })
  for (const [name, entry] of entries) if (!into.has(name)) into.set(name, entry)
}

type Maps = { clusters: Map<string, Entry>; users: Map<string, Entry>; contexts: Map<string, LocalContext> }

const addFile = (into: Maps, { clusters, users, contexts }: z.infer<typeof Kubeconfig>, file: string): void => {
  const folder = path.dirname(path.resolve(file))
  const absolute = (entry: Entry | null | undefined): Entry => withAbsolutePaths(entry ?? {}, folder)
  addAll(
    into.clusters,
    clusters.map(({ name, cluster }) => [name, absolute(cluster)]),
    file,
  )
  addAll(
    into.users,
    users.map(({ name, user }) => [name, absolute(user)]),
    file,
  )
  addAll(
    into.contexts,
    contexts.map(({ name, context }) => [name, context]),
    file,
  )
}

const emptyMaps = (): Maps => ({ clusters: new Map(), users: new Map(), contexts: new Map() })

/** Reads what kubectl would read. @throws CliError */
export const loadKubeconfig = (env: Environment, given?: string): LocalKubeconfig => {
  const files = kubeconfigFiles(env, given)
  const maps = emptyMaps()
  let currentContext: string | undefined
  for (const file of files) {
    const bytes = readFile(file, given !== undefined)
    if (bytes === undefined) continue
    const parsed = parseFile(textOf(bytes), file)
    addFile(maps, parsed, file)
    currentContext ||= parsed['current-context'] ?? undefined
  }
  return { files, currentContext, ...maps }
}

/** A kubeconfig that came through standard input. @throws CliError */
export const parseGiven = (text: string): LocalKubeconfig => {
  const file = 'standard input'
  const parsed = parseFile(text, file)
  const maps = emptyMaps()
  addFile(maps, parsed, file)
  return { files: [file], currentContext: parsed['current-context'] ?? undefined, ...maps }
}

/** One context with its cluster and user. */
export type ContextEntries = { name: string; cluster: Entry; user: Entry; namespace?: string | undefined }

/** A context by name, or the current one. @throws CliError naming those that there are */
export const contextOf = (config: LocalKubeconfig, wanted?: string): ContextEntries => {
  const name = wanted ?? config.currentContext
  const known = [...config.contexts.keys()]
  const choice = known.length === 0 ? '--kubeconfig FILE' : `One of ${known.slice(0, 20).join(', ')}.`
  if (name === undefined || name === '')
    throw usageError(`No context is named, and ${config.files.join(', ')} has no current one.`, choice)
  const context = config.contexts.get(name)
  if (context === undefined) throw usageError(`There is no context ${name} in ${config.files.join(', ')}.`, choice)
  const [cluster, user] = [config.clusters.get(context.cluster), config.users.get(context.user)]
  if (cluster && user) return { name, cluster, user }
  const missing = cluster ? `user ${context.user}` : `cluster ${context.cluster}`
  throw usageError(`The context ${name} names the ${missing}, which is not there.`, 'kubectl config view')
}

const embedded = (entry: Entry, field: string): Entry => {
  const { [field]: file, ...rest } = entry
  if (typeof file !== 'string' || file === '') return entry
  // `…-data` beside a path wins, as in kubectl.
  if (rest[`${field}-data`]) return rest
  return { ...rest, [`${field}-data`]: readFile(file, true)?.toString('base64') }
}

const withToken = (user: Entry): Entry => {
  const { tokenFile, ...rest } = user
  if (typeof tokenFile !== 'string' || tokenFile === '') return user
  // The file wins over a token beside it, as in kubectl.
  return { ...rest, token: readFile(tokenFile, true)?.toString().trim() }
}

/** True for a user whose credential a program makes: an exec plugin, or one of the older kind. */
export const needsPlugin = ({ user }: ContextEntries): boolean => user.exec != null || user['auth-provider'] != null

/** The same with all files embedded, as `kubectl config view --flatten` does it. @throws CliError for a file that can't be read */
export const flattened = ({ name, cluster, user }: ContextEntries): ContextEntries => ({
  name,
  cluster: embedded(cluster, 'certificate-authority'),
  user: withToken(embedded(embedded(user, 'client-certificate'), 'client-key')),
})

/** A kubeconfig of one context. JSON is YAML. */
export const kubeconfigOf = ({ name, cluster, user, namespace }: ContextEntries): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  })

/** A name that fedplane takes for a cluster: `arn:aws:eks:…:cluster/prod` becomes `arn-aws-eks-…-cluster-prod`. */
export const clusterNameOf = (context: string): string =>
  context
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(-60)
    .replaceAll(/^-+|-+$/g, '') || 'cluster'
