import type { ObjectRef } from '../../core/values/object-ref.ts'

/** The same in each copy of this module: a driver from outside may bring its own. */
const MADE = Symbol.for('fedplane.made-before')

/** Notes on an error what the function that throws it had made by then, so that its caller stores that. */
export const withMade = (error: unknown, made: readonly ObjectRef[]): unknown => {
  if (error instanceof Error && made.length > 0) Object.defineProperty(error, MADE, { value: made })
  return error
}

/** What a driver's function had made before it threw this; empty when nothing was noted. */
export const madeBefore = (error: unknown): readonly ObjectRef[] =>
  error instanceof Error ? ((error as { [MADE]?: readonly ObjectRef[] })[MADE] ?? []) : []
