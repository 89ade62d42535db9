import { existsSync, readFileSync, statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isSeq, parseDocument } from 'yaml'
import { CliError } from '../errors.ts'
import { behindLinks, locked, replaceFile } from '../files.ts'
import type { Environment } from '../io.ts'
import { kubeconfigFiles } from './local-kubeconfig.ts'

type Entry = { name: string; [field: string]: unknown }

/** What is added: one entry of each kind, all with the context's name. */
export type Addition = { name: string; cluster: unknown; user: unknown; namespace?: string | undefined }

/** The file into which kubectl writes a new entry: the first that exists, else the last. */
const target = (env: Environment, given: string | undefined): string => {
  const files = kubeconfigFiles(env, given)
  const file = files.find((each) => existsSync(each)) ?? files.at(-1) ?? ''
  return behindLinks(file)
}

const textOf = (file: string): string => {
  if (!existsSync(file)) return ''
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CliError(`The kubeconfig ${file} can't be read (${(cause as NodeJS.ErrnoException).code}).`, {
      remedy: '--kubeconfig FILE',
      cause,
    })
  }
}

/** False for aliases that lead nowhere, or that make gigabytes of a few lines. */
const isExpandable = (document: Document): boolean => {
  try {
    document.toJS()
    return true
  } catch {
    return false
  }
}

const documentOf = (file: string): Document => {
  const document = parseDocument(textOf(file), { version: '1.1' })
  if (document.errors.length > 0 || !isExpandable(document))
    throw new CliError(`${file} is no YAML, and stays as it is.`, {
      remedy: `kubectl --kubeconfig ${file} config view`,
    })
  if (document.contents === null) document.contents = document.createNode({ apiVersion: 'v1', kind: 'Config' }) as never
  if (!isMap(document.contents)) throw new CliError(`${file} is no kubeconfig, and stays as it is.`)
  return document
}

/** True when something was added. @throws CliError when another entry has the name */
const add = (document: Document, list: string, entry: Entry): boolean => {
  const entries = ((document.toJS() as Record<string, unknown>)[list] ?? []) as (Entry | null)[]
  const there = entries.find((each) => each?.name === entry.name)
  if (there !== undefined) {
    if (isDeepStrictEqual(there, entry)) return false
    throw new CliError(`Your kubeconfig has another entry ${entry.name} in its ${list}, and nothing is overwritten.`, {
      remedy: `--context NAME for another name, or kubectl config delete-context ${entry.name}`,
    })
  }
  if (isSeq(document.get(list))) document.addIn([list], document.createNode(entry))
  else document.set(list, document.createNode([entry]))
  return true
}

/** Only its owner may read it; one that is there keeps its mode. */
const modeOf = (file: string): number => (existsSync(file) ? statSync(file).mode & 0o777 : 0o600)

/**
 * Adds a context to the kubeconfig that kubectl uses. Entries, comments and the current context that are there stay as they are.
 *
 * @returns the file, and whether anything was added
 * @throws CliError when another entry has the name
 */
export const mergeKubeconfig = (
  env: Environment,
  given: string | undefined,
  { name, cluster, user, namespace }: Addition,
): { file: string; isNew: boolean } => {
  const file = target(env, given)
  return locked(file, () => {
    const document = documentOf(file)
    const added = [
      add(document, 'clusters', { name, cluster }),
      add(document, 'users', { name, user }),
      add(document, 'contexts', {
        name,
        context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) },
      }),
    ]
    const isNew = added.includes(true)
    if (isNew) replaceFile(file, document.toString({ lineWidth: 0 }), modeOf(file))
    return { file, isNew }
  })
}
