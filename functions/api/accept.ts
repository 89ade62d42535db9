import { listInWords } from '../core/values/wording.ts'
import { AnswerNotAcceptable } from './framework-errors.ts'

const JSON_TYPE = 'application/json'

type Range = { type: string; refused: boolean }

/** Media ranges in the order of the header; without the fine grades of `q`, of which only 0 counts. */
const rangesOf = (accept: string): Range[] =>
  accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return { type, refused: parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) }
  })

const fits = (range: string, type: string): boolean =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))

/**
 * Demands that JSON is acceptable, or one of `others`; an empty header is none (openstacksdk sends one).
 *
 * @throws AnswerNotAcceptable
 */
export const requireAcceptable = (accept: string | undefined, others: readonly string[] = []): void => {
  if (accept === undefined || accept.trim() === '') return
  const types = [JSON_TYPE, ...others]
  if (rangesOf(accept).some(({ type, refused }) => !refused && types.some((known) => fits(type, known)))) return
  const named = listInWords(types.map((type) => `"${type}"`))
  throw new AnswerNotAcceptable(`This API answers with ${named} only; the header Accept must allow it.`)
}

/** True when a media type is named before anything that JSON fits. */
export const prefers = (accept: string | undefined, wanted: string): boolean => {
  const ranges = rangesOf(accept ?? '').filter(({ refused }) => !refused)
  return ranges.find(({ type }) => type === wanted || fits(type, JSON_TYPE))?.type === wanted
}
