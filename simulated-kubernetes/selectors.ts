import { badRequest } from './status.ts'
import type { ApiObject } from './types.ts'

type Labels = Record<string, string>
type Requirement = (labels: Labels) => boolean

/** Splits at commas outside of parentheses: `a in (x,y),b=c`. */
const split = (selector: string): string[] => selector.split(/,(?![^(]*\))/).map((part) => part.trim())

const SET_BASED = /^([^\s!=,()]+)\s+(in|notin)\s*\(([^()]*)\)$/
const EQUALITY = /^([^\s!=,()]+)\s*(==|=|!=)\s*([A-Za-z0-9._-]*)$/
const EXISTS = /^(!?)\s*([^\s!=,()]+)$/

const setBased = ([, key = '', operator, list = '']: RegExpExecArray): Requirement => {
  const values = new Set(list.split(',').map((value) => value.trim()))
  const wanted = operator === 'in'
  return (labels) => {
    const value = labels[key]
    return value === undefined ? !wanted : values.has(value) === wanted
  }
}

const equality = ([, key = '', operator, value]: RegExpExecArray): Requirement =>
  operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value

const parse = (part: string): Requirement => {
  const inSet = SET_BASED.exec(part)
  if (inSet) return setBased(inSet)
  const equal = EQUALITY.exec(part)
  if (equal) return equality(equal)
  const exists = EXISTS.exec(part)
  if (!exists) throw badRequest(`unable to parse requirement: "${part}"`)
  const [, negated, key = ''] = exists
  return (labels) => Object.hasOwn(labels, key) === (negated === '')
}

/** Label selector of a list: equality, `in`, `notin`, exists and not exists. @throws StatusError 400 */
export const labelMatcher = (selector: string): ((object: ApiObject) => boolean) => {
  if (selector.trim() === '') return () => true
  const requirements = split(selector).map(parse)
  return (object) => requirements.every((holds) => holds(object.metadata.labels ?? {}))
}

const FIELDS: Readonly<Record<string, (object: ApiObject) => string>> = {
  'metadata.name': (object) => object.metadata.name,
  'metadata.namespace': (object) => object.metadata.namespace ?? '',
}

/** Event fields that callers select by, beside the two that every kind has. */
const involved =
  (field: string) =>
  (object: ApiObject): string => {
    const { involvedObject = {} } = object as { involvedObject?: Record<string, string> }
    return involvedObject[field] ?? ''
  }
const EVENT_FIELDS: typeof FIELDS = Object.fromEntries(
  ['kind', 'name', 'namespace', 'uid'].map((field) => [`involvedObject.${field}`, involved(field)]),
)

/** Field selector of a list: `metadata.name` and `metadata.namespace`, for Events also `involvedObject.*`. @throws StatusError 400 */
export const fieldMatcher = (selector: string, kind: string): ((object: ApiObject) => boolean) => {
  if (selector.trim() === '') return () => true
  const known = kind === 'Event' ? { ...FIELDS, ...EVENT_FIELDS } : FIELDS
  const requirements = split(selector).map((part) => {
    const [, field = '', operator, value] = /^([^!=]+)(==|=|!=)(.*)$/.exec(part) ?? []
    const read = known[field]
    if (read === undefined) {
      throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`)
    }
    return (object: ApiObject) => (read(object) === value) === (operator !== '!=')
  })
  return (object) => requirements.every((holds) => holds(object))
}
