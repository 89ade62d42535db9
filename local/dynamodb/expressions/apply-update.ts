import { invalid } from '../dynamo-error.ts'
import { addNumbers } from '../items/number.ts'
import { copyOf, type Item, own, typeOf, type Value } from '../items/value.ts'
import { type Path, resolve } from './path.ts'
import type { Change, Source, Update } from './update.ts'

const badOperand = (): Error => invalid('An operand in the update expression has an incorrect data type')
const badPath = (): Error => invalid('The document path provided in the update expression is invalid for update')
const absent = (): Error => invalid('The provided expression refers to an attribute that does not exist in the item')

const evaluated = (source: Source, item: Item): Value => {
  switch (source.kind) {
    case 'value':
      return source.value
    case 'path': {
      const found = resolve(item, source.path)
      if (found === undefined) throw absent()
      return found
    }
    case 'if-absent':
      return resolve(item, source.path) ?? evaluated(source.otherwise, item)
    case 'sum': {
      const [left, right] = [evaluated(source.left, item), evaluated(source.right, item)]
      if (left.N === undefined || right.N === undefined) throw badOperand()
      return { N: addNumbers(left.N, right.N, source.sign) }
    }
    case 'append': {
      const [left, right] = [evaluated(source.left, item), evaluated(source.right, item)]
      if (!left.L || !right.L) throw badOperand()
      return { L: [...left.L, ...right.L] }
    }
  }
}

const setMembers = (value: Value): string[] => value.SS ?? value.NS ?? value.BS ?? []

const added = (found: Value | undefined, value: Value): Value => {
  if (found === undefined) return value
  const type = typeOf(value)
  if (typeOf(found) !== type) throw badOperand()
  if (value.N !== undefined) return { N: addNumbers(found.N ?? '0', value.N) }
  return { [type]: [...new Set([...setMembers(found), ...setMembers(value)])] }
}

/** Undefined when nothing is left. */
const deleted = (found: Value | undefined, value: Value): Value | undefined => {
  if (found === undefined) return undefined
  const type = typeOf(value)
  if (typeOf(found) !== type) throw badOperand()
  const gone = new Set(setMembers(value))
  const left = setMembers(found).filter((member) => !gone.has(member))
  return left.length === 0 ? undefined : { [type]: left }
}

/** What is to be there; undefined: nothing. All are reported from the item as it was. */
const outcome = (change: Change, item: Item): Value | undefined => {
  if (change.kind === 'remove') return undefined
  if (change.kind === 'set') return evaluated(change.to, item)
  const found = resolve(item, change.path)
  return change.kind === 'add' ? added(found, change.value) : deleted(found, change.value)
}

/** Keeps the places of a list until all changes are made. */
const HOLE: Value = Object.freeze({})

const putInList = (list: readonly Value[], index: number, value: Value): Value[] => {
  const copy = [...list]
  copy[Math.min(index, list.length)] = value
  return copy
}

type Parts = readonly (string | number)[]

/** A copy of a list with something else at a place below. */
const withElement = (list: readonly Value[], place: number, parts: Parts, to: Value): Value[] => {
  const member = list[place]
  if (parts.length > 0 && member === undefined) throw badPath()
  if (to === HOLE && member === undefined) return [...list]
  return putInList(list, place, member === undefined ? to : withValue(member, parts, to))
}

/** A copy with something else at a place below. @throws DynamoError when there is no such place */
const withValue = (value: Value, [part, ...parts]: Parts, to: Value): Value => {
  if (part === undefined) return to
  if (typeof part === 'number') {
    if (value.L) return { L: withElement(value.L, part, parts, to) }
  } else if (value.M) return { M: withMember(value.M, [part, ...parts], to) }
  throw badPath()
}

const withMember = (item: Item, [name, ...parts]: Path, to: Value): Item => {
  const copy = copyOf(item)
  const found = own(item, name)
  if (parts.length === 0 && to === HOLE) delete copy[name]
  else if (parts.length === 0) copy[name] = to
  else if (found) copy[name] = withValue(found, parts, to)
  else throw badPath()
  return copy
}

const closeHoles = (value: Value): Value => {
  if (value.L) return { L: value.L.filter((member) => member !== HOLE).map(closeHoles) }
  return value.M ? { M: withoutHoles(value.M) } : value
}

const withoutHoles = (item: Item): Item => {
  const copy = copyOf(item)
  for (const [name, value] of Object.entries(copy)) copy[name] = closeHoles(value)
  return copy
}

const isWithinList = ({ kind, path }: Change): boolean =>
  kind !== 'set' && path.some((part) => typeof part === 'number')

/** Later places of a list first come to it when the earlier ones are there. */
const byPlace = (one: { path: Path }, other: { path: Path }): number => {
  const [left, right] = [one.path.at(-1), other.path.at(-1)]
  return typeof left === 'number' && typeof right === 'number' ? left - right : 0
}

/** The item after an update, which must be parsed of the same request. @throws DynamoError for operands that do not fit */
export const applyUpdate = (item: Item, { changes }: Update): Item => {
  const outcomes = changes.map((change) => ({ path: change.path, value: outcome(change, item) }))
  const updated = outcomes
    .toSorted(byPlace)
    .reduce((before, { path, value }) => withMember(before, path, value ?? HOLE), item)
  return changes.some(isWithinList) ? withoutHoles(updated) : updated
}
