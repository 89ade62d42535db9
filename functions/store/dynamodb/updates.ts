import { RevisionConflict } from '../errors.ts'
import type { Commit, Write } from '../write.ts'
import { asWrite } from './action.ts'
import type { ItemKey } from './keys.ts'

/** What an update does to top-level attributes. */
export type AttributeChanges = {
  set?: Readonly<Record<string, unknown>>
  remove?: readonly string[]
  /** To string sets; an absent set is made. */
  add?: Readonly<Record<string, readonly string[]>>
  /** From string sets; an emptied set is removed by DynamoDB. */
  take?: Readonly<Record<string, readonly string[]>>
}

type Clause = { text: string; values: Record<string, unknown> }

const clause = (keyword: string, entries: [string, unknown][], join: string): Clause => ({
  text: entries.length === 0 ? '' : `${keyword} ${entries.map(([name]) => `#${name}${join}:${name}`).join(', ')}`,
  values: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
})

const setClauses = (keyword: string, sets: Readonly<Record<string, readonly string[]>>): Clause =>
  clause(
    keyword,
    Object.entries(sets)
      .filter(([, members]) => members.length > 0)
      .map(([name, members]) => [name, new Set(members)]),
    ' ',
  )

/** An UpdateExpression that touches just the named attributes, with its values. */
export const updateExpression = ({ set = {}, remove = [], add = {}, take = {} }: AttributeChanges): Clause => {
  const clauses = [
    clause(
      'SET',
      Object.entries(set).filter(([, value]) => value !== undefined),
      ' = ',
    ),
    { text: remove.length === 0 ? '' : `REMOVE ${remove.map((name) => `#${name}`).join(', ')}`, values: {} },
    setClauses('ADD', add),
    setClauses('DELETE', take),
  ].filter(({ text }) => text !== '')
  return {
    text: clauses.map(({ text }) => text).join(' '),
    values: Object.assign({}, ...clauses.map(({ values }) => values)),
  }
}

/** Something newer is stored (or exactly this), or the entity is gone. Never leaves this file. */
class ObservationOutdated extends RevisionConflict {}

const NEWER_THAN_STORED =
  'attribute_exists(#pk) AND (attribute_not_exists(#observation.#observedAt) OR #observation.#observedAt < :observedAt)'

const AS_READ = '#observation.#observedAt = :read'
const FIRST = 'attribute_exists(#pk) AND attribute_not_exists(#observation.#observedAt)'

/** What follows from an observation, and is stored with it: only on top of the very observation that it was decided on (null: none). */
export type Consequence = { read: { observedAt: string } | null; writes: readonly Write[] }

const guardOf = (observedAt: string, consequence: Consequence | undefined) => {
  const after = { condition: NEWER_THAN_STORED, values: { ':observedAt': observedAt } }
  if (consequence === undefined) return after
  const { read } = consequence
  if (read === null) return { condition: FIRST, values: {} }
  return { condition: `${NEWER_THAN_STORED} AND ${AS_READ}`, values: { ...after.values, ':read': read.observedAt } }
}

/** Stores what was seen unless something newer is stored, or the entity is gone. True when it was stored. */
export const observe = async (
  commit: Commit,
  key: ItemKey,
  observation: { observedAt: string },
  consequence?: Consequence,
): Promise<boolean> => {
  const { condition, values } = guardOf(observation.observedAt, consequence)
  try {
    await commit([
      asWrite({
        type: 'update',
        key,
        update: 'SET #observation = :observation',
        condition,
        values: { ':observation': observation, ...values },
        onConflict: () => new ObservationOutdated(`The observation of ${key.sk} is outdated.`),
      }),
      ...(consequence?.writes ?? []),
    ])
    return true
  } catch (error) {
    if (error instanceof ObservationOutdated) return false
    throw error
  }
}
