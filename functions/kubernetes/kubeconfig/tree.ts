import { KubeconfigRejected } from './kubeconfig-rejected.ts'

/**
 * What a kubeconfig's text says. Mappings are Maps: names such as `__proto__` and `constructor` are data in them (cases/KC-19).
 */
export type Tree = TreeMap | readonly Tree[] | string | number | boolean | null
export type TreeMap = ReadonlyMap<string, Tree>

/** Deepest nesting that is read. A kubeconfig with an exec entry has 7 levels; `extensions` may have a few more. */
export const MAX_DEPTH = 64
/** Most values that are read, aliases expanded: some 1,000 clusters with their users and contexts. */
const MAX_VALUES = 20_000

export const tooDeep = (): KubeconfigRejected =>
  new KubeconfigRejected(
    'too_deep',
    `The kubeconfig is nested deeper than ${MAX_DEPTH} levels; a kubeconfig has about 7.`,
  )

export const isTreeMap = (tree: Tree | undefined): tree is TreeMap => tree instanceof Map

export const isTreeList = (tree: Tree | undefined): tree is readonly Tree[] => Array.isArray(tree)

const tooManyValues = (): KubeconfigRejected =>
  new KubeconfigRejected(
    'too_large',
    `The kubeconfig has more than ${MAX_VALUES} values; send the one context only (kubectl config view --flatten --minify --raw).`,
  )

const scalarOf = (value: unknown): Tree =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

const entriesOf = (value: object): [string, unknown][] => (value instanceof Map ? [...value] : Object.entries(value))

/** The tree of parsed JSON, or of YAML whose mappings are Maps; aliases count as what they stand for. @throws KubeconfigRejected `too_deep`, `too_large` */
export const treeOf = (parsed: unknown): Tree => {
  let values = 0
  const visit = (value: unknown, depth: number): Tree => {
    values += 1
    if (depth > MAX_DEPTH) throw tooDeep()
    if (values > MAX_VALUES) throw tooManyValues()
    if (Array.isArray(value)) return value.map((item) => visit(item, depth + 1))
    if (value === null || typeof value !== 'object') return scalarOf(value)
    return new Map(entriesOf(value).map(([key, item]) => [key, visit(item, depth + 1)]))
  }
  return visit(parsed, 0)
}
