import type * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import { quote } from '../../core/values/wording.ts'

const fieldOf = (path: readonly PropertyKey[]): string => quote(path.map(String).join('.'))

/** Our schemas give each rule's own sentence as the issue's message; it follows the field's name. */
const sentenceOf = (issue: z.core.$ZodIssue): string => `${fieldOf(issue.path)} ${issue.message}.`

/**
 * Parses what a caller sent. Every fault is named, at most five of them.
 *
 * @throws InvalidRequest
 */
export const parseWith = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  // An integer beyond 2^53 breaks two rules, and both say the same.
  const sentences = [...new Set(parsed.error.issues.map(sentenceOf))]
  throw new InvalidRequest(sentences.slice(0, 5).join(' '))
}
