import { type Fields, isEqual, isFields } from './objects.ts'
import { applyConflict } from './status.ts'
import type { Ownership } from './store.ts'
import type { Schema } from './types.ts'

/** Separates the steps of a path; can't be in a Kubernetes field name. */
const STEP = '\u0000'

const FREE: Schema = {}

const childOf = (schema: Schema, key: string): Schema => {
  const own =
    schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
  if (own !== undefined) return own
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : FREE
}

/** How an item is reported from its siblings in a `map` or `set` list; undefined for lists that are one value. */
const itemStep = (item: unknown, schema: Schema): string | undefined => {
  const kind = schema['x-kubernetes-list-type']
  if (kind === 'set') return `=${JSON.stringify(item)}`
  if (kind !== 'map' || !isFields(item)) return undefined
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const keyValue = (key: string): unknown => item[key] ?? schema.items?.properties?.[key]?.default ?? null
  return `[${keys.map((key) => `${key}=${JSON.stringify(keyValue(key))}`).join(',')}]`
}

const isKeyed = (value: unknown, schema: Schema): value is unknown[] =>
  Array.isArray(value) && ['set', 'map'].includes(schema['x-kubernetes-list-type'] ?? '')

const isGranular = (value: unknown, schema: Schema): value is Fields =>
  isFields(value) && schema['x-kubernetes-map-type'] !== 'atomic'

/** The parts of a value that can have owners of their own: step → part and its schema. Undefined for a leaf. */
const partsOf = (value: unknown, schema: Schema): [step: string, part: unknown, schema: Schema][] | undefined => {
  if (isGranular(value, schema)) {
    return Object.entries(value).map(([key, part]) => [key, part, childOf(schema, key)])
  }
  if (!isKeyed(value, schema)) return undefined
  return value.map((item) => [
    itemStep(item, schema) ?? '',
    item,
    schema['x-kubernetes-list-type'] === 'set' ? FREE : (schema.items ?? FREE),
  ])
}

/** Every leaf of a value, with its path; an empty object is a leaf too. */
const leavesOf = (
  value: unknown,
  schema: Schema,
  path = '',
  out = new Map<string, unknown>(),
): Map<string, unknown> => {
  const parts = partsOf(value, schema)
  if (parts === undefined || parts.length === 0) out.set(path, value)
  else for (const [step, part, below] of parts) leavesOf(part, below, `${path}${STEP}${step}`, out)
  return out
}

/** Takes an applied value into the live one: objects by field, keyed lists by item, all else replaced. */
const merge = (live: unknown, applied: unknown, schema: Schema): unknown => {
  if (isGranular(applied, schema) && isGranular(live, schema)) {
    const result: Fields = { ...live }
    for (const [key, value] of Object.entries(applied)) result[key] = merge(live[key], value, childOf(schema, key))
    return result
  }
  if (!isKeyed(applied, schema) || !isKeyed(live, schema)) return applied
  const items = new Map(live.map((item) => [itemStep(item, schema), item]))
  for (const item of applied) {
    const step = itemStep(item, schema)
    items.set(step, items.has(step) ? merge(items.get(step), item, schema.items ?? FREE) : item)
  }
  return [...items.values()]
}

type Removal = { gone: ReadonlySet<string>; kept: ReadonlySet<string> }

const isKept = (path: string, { kept }: Removal): boolean => kept.has(path)

/** Takes the leaves in `gone` out of a value, and containers that become empty by it unless somebody owns them. */
const removeLeaves = (value: unknown, schema: Schema, removal: Removal, path = ''): unknown => {
  if (removal.gone.has(path)) return undefined
  const parts = partsOf(value, schema)
  if (parts === undefined || parts.length === 0) return value
  const left = parts
    .map(([step, part, below]) => [step, removeLeaves(part, below, removal, `${path}${STEP}${step}`)] as const)
    .filter(([, part]) => part !== undefined)
  if (left.length === 0 && path !== '' && !isKept(path, removal)) return undefined
  return Array.isArray(value) ? left.map(([, part]) => part) : Object.fromEntries(left)
}

const ownedByOthers = (ownership: Ownership, manager: string): Set<string> =>
  new Set([...ownership].filter(([name]) => name !== manager).flatMap(([, paths]) => [...paths]))

const readable = (path: string): string => path.replaceAll(`${STEP}[`, '[').replaceAll(STEP, '.')

/** The part before the first space of an owner key: see `managerKey`. */
const shown = (key: string): string => key.split(' ')[0] ?? key

/** Ownership key of a manager: applying and updating, and each subresource, are distinguished as in managedFields. */
export const managerKey = (name: string, operation: 'Apply' | 'Update', subresource?: string): string =>
  `${name} ${operation} ${subresource ?? ''}`

const conflictsOf = (live: unknown, leaves: Map<string, unknown>, owners: Ownership, schema: Schema) => {
  const now = leavesOf(live, schema)
  return [...owners].flatMap(([owner, paths]) =>
    [...leaves]
      .filter(([path, value]) => paths.has(path) && !isEqual(now.get(path), value))
      .map(([path]) => ({ owner, path })),
  )
}

export type Apply = {
  live: Fields
  applied: Fields
  ownership: Ownership
  schema: Schema
  manager: string
  force: boolean
}

/**
 * Server-side apply: the manager's new fields are set, those that it applied before and no longer names go unless another
 * manager owns them.
 *
 * @throws StatusError 409 with one cause per field that another manager set to another value, unless forced
 */
export const applyFields = ({
  live,
  applied,
  ownership,
  schema,
  manager,
  force,
}: Apply): { object: Fields; ownership: Ownership } => {
  const next: Ownership = new Map([...ownership].map(([name, paths]) => [name, new Set(paths)]))
  const before = next.get(manager) ?? new Set<string>()
  next.delete(manager)
  const leaves = leavesOf(applied, schema)
  const conflicts = conflictsOf(live, leaves, next, schema)
  if (conflicts.length > 0 && !force) {
    throw applyConflict(
      conflicts.map(({ owner, path }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with "${shown(owner)}"`,
        field: readable(path),
      })),
    )
  }
  for (const { owner, path } of conflicts) next.get(owner)?.delete(path)
  const kept = ownedByOthers(next, manager)
  const gone = new Set([...before].filter((path) => !leaves.has(path) && !kept.has(path)))
  const object = merge(removeLeaves(live, schema, { gone, kept }) ?? {}, applied, schema) as Fields
  next.set(manager, new Set(leaves.keys()))
  return { object, ownership: next }
}

/** Ownership after a create, update or merge patch: the caller owns what it changed, nobody owns what went. */
export const updateOwnership = (
  change: { before: Fields; after: Fields; schema: Schema; manager: string },
  ownership: Ownership,
): Ownership => {
  const before = leavesOf(change.before, change.schema)
  const after = leavesOf(change.after, change.schema)
  const changed = [...after].filter(([path, value]) => !isEqual(before.get(path), value)).map(([path]) => path)
  const taken = new Set(changed)
  const next: Ownership = new Map(
    [...ownership].map(([name, paths]) => [
      name,
      new Set([...paths].filter((path) => after.has(path) && !taken.has(path))),
    ]),
  )
  next.set(change.manager, new Set([...(next.get(change.manager) ?? []), ...changed]))
  return next
}
