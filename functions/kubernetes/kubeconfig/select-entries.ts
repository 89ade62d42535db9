import {
  invalidType,
  isTreeList,
  isTreeMap,
  KubeconfigRejected,
  type Section,
  shown,
  type Tree,
  type TreeMap,
} from './fields.ts'

/** The three entries that one context is made of. Nothing else of the file is kept. */
export type Selection = {
  context: string
  clusterName: string
  userName: string
  cluster: Section
  user: Section
}

type ListName = 'clusters' | 'users' | 'contexts'
type Entry = { index: number; name: Tree | undefined; map: TreeMap }

/**
 * Finds the context and the cluster and user that it names; broken entries that are not chosen do no harm (cases/KC-15).
 *
 * `wanted` wins over `current-context`; without either, a single context is taken (cases/KC-14).
 *
 * @throws KubeconfigRejected `context_required`, `invalid_kubeconfig`, `invalid_type`, `duplicate_name`
 */
export const selectEntries = (file: TreeMap, wanted: string | undefined): Selection => {
  const contexts = entriesOf(file, 'contexts')
  const current = wanted ?? file.get('current-context') ?? ''
  try {
    const context = pickContext(contexts, current)
    const where = sectionOf('contexts', context, 'context')
    const cluster = refer(file, where, 'cluster')
    const user = refer(file, where, 'user')
    return {
      context: String(context.name),
      clusterName: cluster.name,
      userName: user.name,
      cluster: cluster.section,
      user: user.section,
    }
  } catch (error) {
    throw misnamed(file, typeof current === 'string' ? [] : ['current-context']) ?? error
  }
}

/** A name that YAML reads as a number or boolean explains why an entry was not found; its text is lost (cases/YM-05). */
const misnamed = (file: TreeMap, more: readonly string[]): KubeconfigRejected | undefined => {
  const lists: ListName[] = ['clusters', 'users', 'contexts']
  const fields = lists.flatMap((list) =>
    (isTreeList(file.get(list)) ? entriesOf(file, list) : [])
      .filter(({ name }) => typeof name === 'number' || typeof name === 'boolean')
      .map(({ index }) => `${list}[${index}].name`),
  )
  const all = [...fields, ...more]
  return all.length === 0
    ? undefined
    : invalidType(all, 'text: quote the name, since YAML reads it as a number or boolean')
}

const entriesOf = (file: TreeMap, list: ListName): Entry[] => {
  const value = file.get(list)
  if (!isTreeList(value) || value.length === 0) {
    throw new KubeconfigRejected(
      'invalid_kubeconfig',
      `The kubeconfig has no ${list}; it needs a list with at least one.`,
      {
        fields: [list],
      },
    )
  }
  return value.flatMap((map, index) => (isTreeMap(map) ? [{ index, name: map.get('name'), map }] : []))
}

const pickContext = (contexts: readonly Entry[], current: Tree): Entry => {
  const names = contexts.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
  if (current !== '') {
    const found = typeof current === 'string' ? findByName('contexts', contexts, current) : undefined
    if (found !== undefined) return found
  }
  const [only, other] = contexts
  if (current === '' && only !== undefined && other === undefined && typeof only.name === 'string') return only
  const why = current === '' ? 'has no current-context' : `has no context named ${shown(String(current))}`
  throw new KubeconfigRejected(
    'context_required',
    `The kubeconfig ${why}; name one of its contexts in \`context\`: ${names.slice(0, 20).map(shown).join(', ') || 'it has none'}.`,
    { fields: ['current-context'], facts: { contexts: names.slice(0, 20) } },
  )
}

const findByName = (list: ListName, entries: readonly Entry[], name: string): Entry | undefined => {
  const [first, second] = entries.filter((entry) => entry.name === name)
  if (first === undefined || second === undefined) return first
  throw new KubeconfigRejected(
    'duplicate_name',
    `The kubeconfig has two entries named ${shown(name)} in ${list}, so it is not clear which is meant; remove one.`,
    { fields: [`${list}[${first.index}].name`, `${list}[${second.index}].name`] },
  )
}

const sectionOf = (list: ListName, { index, map }: Entry, key: string): Section => {
  const path = `${list}[${index}].${key}`
  const inner = map.get(key)
  // `user: null` and `user: {}` are the same to kubectl: no credential.
  if (isTreeMap(inner)) return { path, map: inner }
  if (key === 'user' && (inner === null || inner === undefined)) return { path, map: new Map() }
  throw new KubeconfigRejected('invalid_kubeconfig', `${path} of the kubeconfig must be a mapping.`, { fields: [path] })
}

const refer = (file: TreeMap, context: Section, key: 'cluster' | 'user'): { name: string; section: Section } => {
  const field = `${context.path}.${key}`
  const name = context.map.get(key) ?? ''
  if (typeof name !== 'string') throw invalidType([field], 'text: quote the name')
  if (name === '') {
    throw new KubeconfigRejected(
      'invalid_kubeconfig',
      `${field} of the kubeconfig is missing; the context must name a ${key}.`,
      {
        fields: [field],
      },
    )
  }
  const list = `${key}s` as const
  const entry = findByName(list, entriesOf(file, list), name)
  if (entry !== undefined) return { name, section: sectionOf(list, entry, key) }
  throw new KubeconfigRejected(
    'invalid_kubeconfig',
    `${field} of the kubeconfig names ${shown(name)}, which is not in its ${list}; add it or correct the name.`,
    { fields: [field] },
  )
}
