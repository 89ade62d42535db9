import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { type Answer, type ApiLab, createApiLab } from '../../support/api/lab.ts'

/**
 * The contract (`magnum-rest.md`) as data: a row is one request with the answer that the contract gives to it, named after the
 * section that says so.
 */

/** What `{name}` stands for in the paths, bodies and expectations of rows. */
export type Names = Record<string, string>

export type Call = {
  /** Method and target: `GET /v1/clusters/{done}`. */
  line: string
  /** `1.9` or `latest`; none: no version header is sent. */
  version?: string
  headers?: Record<string, string>
  body?: unknown
  /** Default: ALICE, who has all roles in the project `blue`; null: nobody. */
  as?: Principal | string | null
}

export type Expectation = {
  status: number
  /** Of the envelope. */
  code?: string
  /** Of the envelope, whole. */
  title?: unknown
  /** A part of the envelope's detail. */
  says?: string
  /** Path of the part of the answer that `keys` and `body` are about: `clusters.0`. Default: all of it. */
  of?: string
  /** Exactly these. */
  keys?: readonly string[]
  /** These attributes among others, each with all of its value; items of lists likewise. */
  body?: unknown
  headers?: Record<string, unknown>
  /** Uuids that are in the list at `of`, and that are not. */
  has?: readonly string[]
  lacks?: readonly string[]
}

/** What a row needs for itself alone, since it changes it. */
export type Given = (lab: ApiLab, names: Names) => Promise<Names>

export type Row = {
  /** Number in the contract, or `design 2`. */
  section: string
  name: string
  /** Magnum answers otherwise, and worse; `design.md` or the issue want this. */
  better?: true | undefined
  given?: Given | undefined
  request: string | Call
  /** A number is the status. */
  expect: number | Expectation
  /** A second observation, after the request; `{uuid}` is that of the first answer. */
  after?: { request: string | Call; expect: number | Expectation } | undefined
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Puts the names in, at any depth. What is no name stays: `{cluster_id}`. */
const filled = <T>(value: T, names: Names): T => {
  const put = (one: unknown): unknown => {
    if (typeof one === 'string') return one.replaceAll(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole)
    if (Array.isArray(one)) return one.map(put)
    if (!isPlain(one)) return one
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, put(inner)]))
  }
  return put(value) as T
}

const ENVELOPE = ['code', 'detail', 'links', 'request_id', 'status', 'title']
const VERSION_ENVELOPE = ['code', 'description', 'links', 'max_version', 'min_version', 'title']

/** Section 3: what the body of a refusal is; null for other answers. */
const formOf = ({ status, body, headers }: Answer): string | null => {
  if (status < 400) return null
  if (headers['content-type'] !== 'application/json') return `content type ${headers['content-type']}`
  if (status === 401) return Object.keys(body).join() === 'error' ? 'unauthorized' : 'not that of a 401'
  const [error, ...others] = body.errors
  const keys = Object.keys(error).sort().join()
  if (others.length > 0) return 'several errors'
  if (keys === VERSION_ENVELOPE.join()) return 'microversion'
  return keys === ENVELOPE.join() && error.status === status && error.request_id === '' ? 'envelope' : keys
}

const partOf = (body: Answer['body'], path = ''): Answer['body'] =>
  path.split('.').reduce((part, key) => (key === '' ? part : part?.[key]), body)

/** What `wanted` speaks of: its attributes, item by item in lists. What is in these is compared whole. */
const aspectOf = (part: unknown, wanted: unknown): unknown => {
  if (Array.isArray(part) && Array.isArray(wanted)) return part.map((item, n) => aspectOf(item, wanted[n]))
  if (!isPlain(part) || !isPlain(wanted)) return part
  const aspect = (key: string): unknown => {
    const [inner, wantedInner] = [part[key], wanted[key]]
    return Array.isArray(inner) ? aspectOf(inner, wantedInner) : inner
  }
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, aspect(key)]))
}

const seen = (answer: Answer, wanted: Expectation): Record<string, unknown> => {
  const part = partOf(answer.body, wanted.of)
  const [error] = answer.body?.errors ?? []
  const isListed = (uuid: string): boolean => (part as { uuid: string }[]).some((item) => item.uuid === uuid)
  const headersOf = (names: object) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, answer.headers[name.toLowerCase()]]))
  const all = {
    code: error?.code,
    title: error?.title,
    says: error?.detail ?? error?.description,
    keys: Object.keys(part ?? {}).sort(),
    body: aspectOf(part, wanted.body),
    headers: headersOf(wanted.headers ?? {}),
    has: wanted.has?.filter(isListed),
    lacks: wanted.lacks?.filter((uuid) => !isListed(uuid)),
  }
  const asked = Object.entries(all).filter(([aspect]) => wanted[aspect as keyof Expectation] !== undefined)
  return { status: answer.status, form: formOf(answer), ...Object.fromEntries(asked) }
}

const formFor = (status: number): unknown => {
  if (status < 400) return null
  if (status === 401) return 'unauthorized'
  return status === 406 ? expect.stringMatching(/^(envelope|microversion)$/) : 'envelope'
}

const wantedOf = ({ status, says, keys, of: _, ...rest }: Expectation): Record<string, unknown> => ({
  status,
  form: formFor(status),
  ...rest,
  ...(says === undefined ? {} : { says: expect.stringContaining(says) }),
  ...(keys === undefined ? {} : { keys: keys.toSorted() }),
})

const expectationOf = (one: number | Expectation, names: Names): Expectation =>
  filled(typeof one === 'number' ? { status: one } : one, names)

const callOf = (one: string | Call, names: Names): Call => filled(typeof one === 'string' ? { line: one } : one, names)

const send = (lab: ApiLab, { line, version, headers, ...options }: Call): Promise<Answer> => {
  const [method = '', target = ''] = line.split(/ (.*)/)
  const ofVersion = version === undefined ? {} : { 'OpenStack-API-Version': `container-infra ${version}` }
  return lab.call(method, target, { ...options, headers: { ...ofVersion, ...headers } })
}

const check = async (lab: ApiLab, names: Names, look: Pick<Row, 'request' | 'expect'>): Promise<Answer> => {
  const answer = await send(lab, callOf(look.request, names))
  const wanted = expectationOf(look.expect, names)
  expect(seen(answer, wanted), answer.text.slice(0, 300)).toEqual(wantedOf(wanted))
  return answer
}

const run = async (lab: ApiLab, shared: Names, row: Row): Promise<void> => {
  const names = { ...shared, ...(await row.given?.(lab, shared)) }
  const answer = await check(lab, names, row)
  if (row.after === undefined) return
  const uuid = answer.body?.uuid
  await check(lab, uuid === undefined ? names : { ...names, uuid }, row.after)
}

export type Tables = Record<string, readonly Row[]>

/** Runs tables of rows over one lab. `prepare` makes what rows only check. */
export const contractTables = (tables: Tables, prepare: Given = async () => ({})): void => {
  let lab: ApiLab
  let names: Names
  beforeAll(async () => {
    lab = await createApiLab()
    names = await prepare(lab, {})
  })
  afterAll(() => lab.dispose())

  for (const [title, rows] of Object.entries(tables)) {
    describe(title, () => {
      for (const row of rows) {
        it(`section ${row.section}: ${row.better ? 'better than Magnum: ' : ''}${row.name}`, () => run(lab, names, row))
      }
    })
  }
}
