import { emptyItem, type Item, own, type Value } from '../items/value.ts'
import type { Placeholders } from './placeholders.ts'
import { isReserved } from './reserved-words.ts'
import type { Tokens } from './tokens.ts'

/** Attribute, then names in maps and places in lists. */
export type Path = readonly [string, ...(string | number)[]]

const parseName = (tokens: Tokens, placeholders: Placeholders): string => {
  const { type, text } = tokens.peek()
  if (type !== 'name' && type !== 'alias') throw tokens.unexpected()
  tokens.take()
  if (type === 'name') {
    if (isReserved(text)) throw tokens.invalid(`Attribute name is a reserved keyword; reserved keyword: ${text}`)
    return text
  }
  const name = placeholders.name(text)
  if (name !== undefined) return name
  throw tokens.invalid(`An expression attribute name used in the document path is not defined; attribute name: ${text}`)
}

const parseIndex = (tokens: Tokens): number => {
  const { type, text } = tokens.take()
  if (type !== 'index') throw tokens.unexpected()
  tokens.demand(']')
  return Number(text)
}

export const parsePath = (tokens: Tokens, placeholders: Placeholders): Path => {
  const path: [string, ...(string | number)[]] = [parseName(tokens, placeholders)]
  for (;;) {
    if (tokens.takeIf('.')) path.push(parseName(tokens, placeholders))
    else if (tokens.takeIf('[')) path.push(parseIndex(tokens))
    else return path
  }
}

/** `[attribute, member]`, as messages show a path. */
const showPath = (path: Path): string =>
  `[${path.map((part) => (typeof part === 'number' ? `[${part}]` : part)).join(', ')}]`

const step = (value: Value, part: string | number): Value | undefined =>
  typeof part === 'number' ? value.L?.[part] : value.M && own(value.M, part)

/** What an item has there; undefined when it has nothing. */
export const resolve = (item: Item, [attribute, ...parts]: Path): Value | undefined =>
  parts.reduce<Value | undefined>((value, part) => value && step(value, part), own(item, attribute))

/** A tree of the paths: what to keep of each attribute; an empty node keeps all. */
type Tree = Map<string | number, Tree>

const toTree = (paths: readonly Path[]): Tree => {
  const root: Tree = new Map()
  for (const path of paths) {
    let node = root
    for (const part of path) {
      const next = node.get(part) ?? new Map()
      node.set(part, next)
      node = next
    }
  }
  return root
}

const pickValue = (value: Value, tree: Tree): Value | undefined => {
  if (tree.size === 0) return value
  if (value.M) {
    const picked = pick(value.M, tree)
    return Object.keys(picked).length === 0 ? undefined : { M: picked }
  }
  const kept = (value.L ?? []).flatMap((member, index) => {
    const below = tree.get(index)
    return (below && pickValue(member, below)) ?? []
  })
  return kept.length === 0 ? undefined : { L: kept }
}

const pick = (item: Item, tree: Tree): Item => {
  const picked = emptyItem()
  for (const [name, below] of tree) {
    const value = own(item, String(name))
    const part = value && pickValue(value, below)
    if (part !== undefined) picked[name] = part
  }
  return picked
}

/** Only what lies on the paths; members of lists move together. */
export const project = (item: Item, paths: readonly Path[]): Item => pick(item, toTree(paths))

const overlap = (one: Path, other: Path): boolean =>
  Array.from({ length: Math.min(one.length, other.length) }, (_, index) => one[index] === other[index]).every(Boolean)

const conflict = (one: Path, other: Path): boolean => {
  const apart = one.findIndex((part, index) => index < other.length && part !== other[index])
  return apart > 0 && typeof one[apart] !== typeof other[apart]
}

/** @throws DynamoError when one path lies within another, or the two take one thing for a map and a list */
export const demandApart = (tokens: Tokens, paths: readonly Path[]): void => {
  const found = (clash: (one: Path, other: Path) => boolean): [Path, Path] | undefined => {
    for (const [index, one] of paths.entries()) {
      const other = paths.slice(0, index).find((before) => clash(before, one))
      if (other) return [other, one]
    }
    return undefined
  }
  const [name, pair] = found(overlap) ? ['overlap', found(overlap)] : ['conflict', found(conflict)]
  if (pair === undefined) return
  throw tokens.invalid(
    `Two document paths ${name} with each other; must remove or rewrite one of these paths; path one: ${showPath(pair[0])}, path two: ${showPath(pair[1])}`,
  )
}
