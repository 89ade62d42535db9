import * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/values/json.ts'
import { byNumber, listInWords, quote } from '../../core/values/wording.ts'

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** openstacksdk calls our `uuid` `id`, and takes that for a change. */
const isSdkMark = (item: Json): boolean =>
  isObject(item) && Object.keys(item).length === 3 && item.op === 'move' && item.from === '/uuid' && item.path === '/id'

/**
 * What openstacksdk means by a patch of an entity that it knows by uuid or name only (`update_cluster("paris", node_count=3)`): it moves `/uuid` to
 * `/id`, and adds attributes, since it has not seen those that are there. Other patches come back as they are. Observed of openstacksdk 4.22.0.
 */
const withoutSdkMark = (body: readonly Json[]): readonly Json[] => {
  if (!body.some(isSdkMark)) return body
  return body
    .filter((item) => !isSdkMark(item))
    .map((item) => (isObject(item) && item.op === 'add' ? { ...item, op: 'replace' } : item))
}

const POINTER = /^(?:\/(?:[^/~]|~[01])+)+$/

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')

/** Segments of a JSON Pointer (RFC 6901), unescapedd. The whole document and empty segments are refused. @throws InvalidRequest */
export const parsePointer = (path: string): string[] => {
  if (!POINTER.test(path)) {
    throw new InvalidRequest(
      `The path ${quote(path)} is no JSON Pointer to an attribute: it must be like "/name" or "/labels/key", with "/" in a key written as "~1" and "~" as "~0".`,
    )
  }
  return path.slice(1).split('/').map(unescaped)
}

/** The JSON Pointer of segments. */
export const formatPointer = (segments: readonly string[]): string =>
  segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const OPS = ['add', 'replace', 'remove'] as const
type Op = (typeof OPS)[number]

/** One operation of Magnum's JSON Patch dialect (magnum-rest.md 9.1). `add` and `replace` always have a value, never null. */
export type PatchOperation = {
  op: Op
  /** As the caller wrote it, for messages. */
  path: string
  /** The attribute. */
  attribute: string
  /** What follows it: keys of an object, or an index. */
  rest: readonly string[]
  /** Undefined when absent or null, which only `remove` may have. */
  value: Json | undefined
}

const opOf = (value: Json | undefined, where: string): Op => {
  const op = OPS.find((known) => known === value)
  if (op !== undefined) return op
  const given = typeof value === 'string' ? quote(value) : 'none as text'
  throw new InvalidRequest(`${where} has the op ${given}; it must be "add", "replace" or "remove".`)
}

const KEYS = ['op', 'path', 'value']

const parseOperation = (item: Json, index: number): PatchOperation => {
  const where = `Operation ${index + 1}`
  if (!isObject(item)) throw new InvalidRequest(`${where} must be an object with "op", "path" and "value".`)
  const unknown = Object.keys(item).filter((key) => !KEYS.includes(key))
  if (unknown.length > 0) {
    throw new InvalidRequest(
      `${where} has ${byNumber(unknown, 'the unknown key', 'the unknown keys')} ${listInWords(unknown.map(quote))}. Allowed are "op", "path" and "value".`,
    )
  }
  const op = opOf(item.op, where)
  const { path } = item
  if (typeof path !== 'string') throw new InvalidRequest(`${where} needs a "path" that is text, like "/name".`)
  const [attribute = '', ...rest] = parsePointer(path)
  const value = item.value ?? undefined
  if (value === undefined && op !== 'remove') {
    throw new InvalidRequest(
      `${where} (${op} ${quote(path)}) needs a "value" that is not null. To unset an attribute, use "remove".`,
    )
  }
  return { op, path, attribute, rest, value }
}

/** A plain object of attributes, which older releases of openstacksdk send in place of a patch (magnum-rest.md 13.10). */
const fromObject = (body: JsonObject, nullRemoves: boolean): Json[] =>
  Object.entries(body).map(([key, value]) => {
    if (key === '') throw new InvalidRequest('The body has an attribute without a name. Leave it out.')
    const path = formatPointer([key])
    return value === null && nullRemoves ? { op: 'remove', path } : { op: 'replace', path, value }
  })

/**
 * Parses the body of a PATCH. An empty list is a patch that changes nothing.
 *
 * @param options.example an operation on this kind of object, for the refusal
 * @param options.acceptObject also takes what openstacksdk sends: a plain object as one `replace` per key, or a patch of its own kind
 * @param options.nullRemoves null in a plain object is `remove`, and not refused
 * @throws InvalidRequest naming the operation
 */
export const parsePatch = (
  body: Json | undefined,
  options: { example: string; acceptObject?: boolean; nullRemoves?: boolean },
): PatchOperation[] => {
  if (Array.isArray(body)) return (options.acceptObject ? withoutSdkMark(body) : body).map(parseOperation)
  if (options.acceptObject && body !== undefined && isObject(body)) {
    return fromObject(body, options.nullRemoves ?? false).map(parseOperation)
  }
  throw new InvalidRequest(`The body must be a list of JSON Patch operations, for example [${options.example}].`)
}

/**
 * Refuses every operation on an attribute that can't be changed, naming all of them.
 *
 * @param told which can be, for the refusal; default: all of `changeable`
 * @throws InvalidRequest
 */
export const requireChangeable = (
  operations: readonly PatchOperation[],
  changeable: readonly string[],
  told?: string,
): void => {
  const others = operations.map(({ attribute }) => attribute).filter((attribute) => !changeable.includes(attribute))
  if (others.length === 0) return
  const named = listInWords([...new Set(others)].map((attribute) => quote(`/${attribute}`)))
  const allowed =
    told ??
    listInWords(
      changeable.map((attribute) => `"/${attribute}"`),
      40,
    )
  throw new InvalidRequest(`Cannot change ${named}. Only ${allowed} can be changed.`)
}

/** Of every object (magnum-rest.md 4.3). */
const INTERNAL: ReadonlySet<string> = new Set([
  'uuid',
  'id',
  'links',
  'created_at',
  'updated_at',
  'project_id',
  'user_id',
])

/**
 * Refuses operations on what is fedplane's own, whatever object is meant: as Magnum, this is said before the object is looked for.
 *
 * @throws InvalidRequest
 */
export const requireNotInternal = (operations: readonly PatchOperation[]): void => {
  const named = operations.map(({ attribute }) => attribute).filter((attribute) => INTERNAL.has(attribute))
  if (named.length === 0) return
  throw new InvalidRequest(
    `Cannot change ${listInWords([...new Set(named)].map((attribute) => quote(`/${attribute}`)))}: fedplane sets ${byNumber(named, 'it', 'them')} itself.`,
  )
}

/** JSON Pointer (RFC 6901) to an attribute, or into it. */
const path = z.string().regex(/^(\/([^~/]|~0|~1)+)+$/)
/** Whatever the attribute takes; never null. */
const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown()), z.record(z.string(), z.unknown())])

/** The shape of a patch, for documentation; `parsePatch` reads it with better messages. */
export const patchSchema = z.array(
  z.union([
    z.strictObject({ op: z.enum(['add', 'replace']), path, value }),
    z.strictObject({ op: z.literal('remove'), path, value: value.optional() }),
  ]),
)
