import type { Json } from '../../core/values/json.ts'
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

/** Counts values and levels while a tree is being built. @throws KubeconfigRejected `too_deep`, `too_large` */
export type TreeBudget = { take(depth: number): void }

export const treeBudget = (): TreeBudget => {
  let values = 0
  return {
    take(depth) {
      values += 1
      if (depth > MAX_DEPTH) throw tooDeep()
      if (values > MAX_VALUES) {
        throw new KubeconfigRejected(
          'too_large',
          `The kubeconfig has more than ${MAX_VALUES} values; send the one context only (kubectl config view --flatten --minify --raw).`,
        )
      }
    },
  }
}

export const tooDeep = (): KubeconfigRejected =>
  new KubeconfigRejected(
    'too_deep',
    `The kubeconfig is nested deeper than ${MAX_DEPTH} levels; a kubeconfig has about 7.`,
  )

export const isTreeMap = (tree: Tree | undefined): tree is TreeMap => tree instanceof Map

export const isTreeList = (tree: Tree | undefined): tree is readonly Tree[] => Array.isArray(tree)

/** The tree of parsed JSON. @throws KubeconfigRejected `too_deep`, `too_large` */
export const treeOfJson = (json: Json): Tree => {
  const budget = treeBudget()
  const visit = (value: Json, depth: number): Tree => {
    budget.take(depth)
    if (Array.isArray(value)) return value.map((item) => visit(item, depth + 1))
    if (value === null || typeof value !== 'object') return value
    return new Map(Object.entries(value).map(([key, item]) => [key, visit(item, depth + 1)]))
  }
  return visit(json, 0)
}
