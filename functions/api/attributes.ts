import type * as z from 'zod'
import {
  type Attribute,
  type Attributes,
  type AttributeValues,
  type Camel,
  camelOf,
  type KeptName,
  mapAttributes,
  type PatchName,
  PLACES,
  type Place,
  type RequestName,
  type ShownName,
  type ValueOf,
} from '../core/values/attributes.ts'
import { addedLabels, type Labels, overriddenLabels, skippedLabels } from '../core/values/labels.ts'
import type { OtherAttributes } from './body/attributes.ts'
import { booleanField, integerField, labelsField, notGiven, optional, textField, wordField } from './body/fields.ts'
import type { Columns } from './lists.ts'
import { timestamp } from './representation.ts'

/** What routes derive from the tables of Magnum's attributes: schemas of requests, what is shown, sort keys, and what a patch may change. */

/** A schema of an attribute's own, by its name: for what its type does not say. */
type OwnFields = Readonly<Record<string, z.ZodType>>

type FieldOf<T extends Attribute> = z.ZodType<
  T extends { request: 'required' }
    ? ValueOf<T>
    : T extends { request: 'nullable' }
      ? ValueOf<T> | null | undefined
      : ValueOf<T> | undefined
>

type Fields<A extends Attributes, N extends keyof A, O extends OwnFields> = {
  [K in N]: K extends keyof O ? O[K] : FieldOf<A[K]>
}

const typeField = ({ type, words, min = 0, max }: Attribute): z.ZodType => {
  if (words !== undefined) return wordField(words)
  if (type === 'integer') return integerField(min, max)
  if (type === 'boolean') return booleanField
  return type === 'labels' ? labelsField : textField(max)
}

const fieldOf = (attribute: Attribute): z.ZodType => {
  const field = typeField(attribute)
  if (attribute.request === 'required') return field
  return attribute.request === 'nullable' ? notGiven(field.nullable().optional()) : optional(field)
}

const isTaken = ({ request }: Attribute): boolean => request !== undefined && request !== 'ignored'
const isPatched = ({ patch }: Attribute): boolean => patch !== undefined

/** Fields of a request that creates. */
export const requestFields = <A extends Attributes, O extends OwnFields>(attributes: A, own: O) =>
  mapAttributes(attributes, isTaken, (name, attribute) => own[name] ?? fieldOf(attribute)) as Fields<
    A,
    RequestName<A>,
    O
  >

/** Fields of what a patch may set: each may be left out. */
export const patchFields = <A extends Attributes, O extends OwnFields>(attributes: A, own: O) =>
  mapAttributes(attributes, isPatched, (name, attribute) => own[name] ?? optional(typeField(attribute))) as Fields<
    A,
    PatchName<A>,
    O
  >

const namesOf = (attributes: Attributes, isMeant: (attribute: Attribute) => boolean): string[] =>
  Object.keys(mapAttributes(attributes, isMeant, () => true))

/** What a request that creates may not set: dropped, or refused as the server's. What fedplane adds is unknown in requests. */
export const otherAttributes = (attributes: Attributes): OtherAttributes => ({
  ignored: namesOf(attributes, ({ request }) => request === 'ignored'),
  readOnly: namesOf(attributes, ({ request, ours }) => request === undefined && ours === undefined),
})

/** Names of what a patch may change. */
export const patchable = (attributes: Attributes): string[] => namesOf(attributes, isPatched)

/** What is needed to show attributes besides the object itself. */
export type View = { minor: number }

type ReadBy<T, V> = (item: T, view: V) => unknown

/** Those that a property of the object's own says, under the same name. */
type OwnName<A extends Attributes, T> = {
  [K in ShownName<A>]: A[K] extends { kept: true }
    ? never
    : A[K] extends { type: 'object' }
      ? never
      : Camel<K> extends keyof T
        ? K
        : never
}[ShownName<A>]

/** Those that are kept among others. */
type KeptShown<A extends Attributes> = ShownName<A> & KeptName<A>

/** How an object is shown. */
export type Shown<A extends Attributes, T, V> = {
  /** What of it has the attributes that are kept. */
  kept(item: T): AttributeValues
  /** How attributes are read that no property of the same name says. */
  computed: Readonly<
    Record<Exclude<ShownName<A>, OwnName<A, T> | KeptShown<A>>, ReadBy<T, V>> &
      Partial<Record<OwnName<A, T>, ReadBy<T, V>>>
  >
}

const timestampOf = (value: unknown): unknown => (typeof value === 'string' ? timestamp(value) : value)

type Row<T, V> = readonly [name: string, read: ReadBy<T, V>]

const rowsOf = <A extends Attributes, T extends AttributeValues, V>(
  attributes: A,
  { kept, computed }: Shown<A, T, V>,
  isMeant: (attribute: Attribute) => boolean,
): Row<T, V>[] => {
  const byName: Readonly<Record<string, ReadBy<T, V> | undefined>> = computed
  const readers = mapAttributes(attributes, isMeant, (name, attribute): ReadBy<T, V> => {
    const property = camelOf(name)
    const read = byName[name] ?? ((item) => (attribute.kept ? kept(item) : item)[property])
    return attribute.type === 'time' ? (item, view) => timestampOf(read(item, view)) : read
  })
  return Object.entries(readers)
}

/** How labels differ from those of the parent (magnum-rest.md 4.2, 6). @param pairOf the labels, and the parent's */
export const comparedLabels = <T, V>(pairOf: (item: T, view: V) => [Labels, Labels]) => {
  const by =
    (compare: (labels: Labels, parent: Labels) => Labels): ReadBy<T, V> =>
    (item, view) =>
      compare(...pairOf(item, view))
  return {
    labels_overridden: by(overriddenLabels),
    labels_added: by(addedLabels),
    labels_skipped: by(skippedLabels),
  }
}

const isIn = ({ since, until }: Attribute, { minor }: View): boolean =>
  (since ?? minor) <= minor && minor <= (until ?? minor)

/** What is in a place, in the version of a view. */
const rowsIn = <A extends Attributes, T extends AttributeValues, V extends View>(
  attributes: A,
  how: Shown<A, T, V>,
  place: Place,
): ((view: V) => Row<T, V>[]) => {
  const places: readonly Place[] = PLACES.slice(0, PLACES.indexOf(place) + 1)
  return (view) =>
    rowsOf(
      attributes,
      how,
      (attribute) => attribute.shown !== undefined && places.includes(attribute.shown) && isIn(attribute, view),
    )
}

/** An attribute that is undefined is not written. */
const objectOf = <T, V>(rows: readonly Row<T, V>[], item: T, view: V): Record<string, unknown> => {
  const object: Record<string, unknown> = {}
  for (const [name, read] of rows) object[name] = read(item, view)
  return object
}

/** Shows an object as answers in a place have it. */
export const toObject = <A extends Attributes, T extends AttributeValues, V extends View>(
  attributes: A,
  how: Shown<A, T, V>,
  place: Place,
): ((item: T, view: V) => Record<string, unknown>) => {
  const rowsFor = rowsIn(attributes, how, place)
  return (item, view) => objectOf(rowsFor(view), item, view)
}

/** Properties that V8 adds by computed names before it makes an object a dictionary, which it writes half as fast. */
const PART = 16

/** The same as JSON, for the thousand items of a list. */
export const toJson = <A extends Attributes, T extends AttributeValues, V extends View>(
  attributes: A,
  how: Shown<A, T, V>,
  place: Place,
): ((view: V) => (item: T) => string) => {
  const rowsFor = rowsIn(attributes, how, place)
  return (view) => {
    const rows = rowsFor(view)
    const starts = rows.flatMap((_, at) => (at % PART === 0 ? [at] : []))
    const parts = starts.map((at) => rows.slice(at, at + PART))
    return (item) => {
      const texts = parts.map((part) => JSON.stringify(objectOf(part, item, view)).slice(1, -1))
      return `{${texts.filter((text) => text !== '').join(',')}}`
    }
  }
}

const comparable = (value: unknown = null): string | number | boolean | null =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null
    ? value
    : JSON.stringify(value)

/** Magnum's database columns: what lists may be sorted by (magnum-rest.md section 2). */
export const sortColumns = <A extends Attributes, T extends AttributeValues, V extends View>(
  attributes: A,
  how: Shown<A, T, V>,
  view: V,
): Columns<T> => {
  const rows = rowsOf(attributes, how, ({ sorts }) => sorts === true)
  return Object.fromEntries(rows.map(([name, read]) => [name, (item: T) => comparable(read(item, view))]))
}
