import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'

/** Who makes a call. `account` is the service account that the calls make for themselves. */
export type Caller = 'admin' | 'account' | 'anonymous' | 'stranger'

/** Values that calls remember for later ones: uids, versions, tokens. */
export type Memory = Map<string, string>

export type Answer = { status: number; contentType: string; text: string; body: unknown }

/** One request, and what both the real and the simulated API server answer. */
export type Call = {
  title: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `NS` stands for the namespace of the run, `{key}` for a remembered value. */
  path: string
  body?: unknown
  contentType?: 'merge' | 'apply' | 'text'
  as?: Caller
  expected: Expected
  /** Asked again until it answers as expected, at most 30 s: for what a controller does. */
  eventually?: boolean
  /** Dotted path in the answer → key. */
  remember?: Record<string, string>
}

export type Expected = {
  status: number
  /** Of the Status object; null: a Status without a reason; absent: not a Status that is checked. */
  reason?: string | null
  /** `reason field` of each cause. */
  causes?: string[]
  /** What the answer holds, at least: a matcher tree as for `toMatchObject`. */
  body?: object
  /** Fields that must not be there, dotted. */
  absent?: string[]
  text?: string
}

/** An API server and its admin. */
export type Subject = {
  server: string
  caPem: string
  admin: { token: string } | { certificatePem: string; keyPem: string }
}

const CONTENT_TYPES = {
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
  text: 'text/plain',
} as const

/** Fills a text with the run's namespace and what was remembered. */
export const fill = (text: string, namespace: string, memory: Memory): string =>
  text
    .replaceAll(/\bNS\b/g, namespace)
    .replaceAll(/\{([a-z][A-Za-z]*)\}/g, (whole, key: string) => memory.get(key) ?? whole)

const authorization = (as: Caller, subject: Subject, memory: Memory): Record<string, string> => {
  if (as === 'stranger') return { authorization: 'Bearer not-a-token' }
  if (as === 'account') return { authorization: `Bearer ${memory.get('token')}` }
  return as === 'admin' && 'token' in subject.admin ? { authorization: `Bearer ${subject.admin.token}` } : {}
}

const jsonOf = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return
  }
}

const payloadOf = ({ body, contentType }: Call, namespace: string, memory: Memory) => {
  if (body === undefined) return { headers: {}, payload: undefined }
  const payload = fill(typeof body === 'string' ? body : JSON.stringify(body), namespace, memory)
  const type = contentType === undefined ? 'application/json' : CONTENT_TYPES[contentType]
  return { headers: { 'content-type': type, 'content-length': String(Buffer.byteLength(payload)) }, payload }
}

const certificateOf = (as: Caller, { admin }: Subject): { cert?: string; key?: string } =>
  as === 'admin' && 'keyPem' in admin ? { cert: admin.certificatePem, key: admin.keyPem } : {}

const readAnswer = async (response: IncomingMessage): Promise<Answer> => {
  const body = await text(response)
  const contentType = response.headers['content-type'] ?? ''
  return { status: response.statusCode ?? 0, contentType, text: body, body: jsonOf(body) }
}

/** Sends one call as it stands. */
export const send = async (call: Call, subject: Subject, namespace: string, memory: Memory): Promise<Answer> => {
  const { as = 'admin', method, path } = call
  const { headers, payload } = payloadOf(call, namespace, memory)
  const sent = request(`${subject.server}${fill(path, namespace, memory)}`, {
    method,
    headers: { ...authorization(as, subject, memory), 'user-agent': 'fedplane-contract/1', ...headers },
    ca: subject.caPem,
    ...certificateOf(as, subject),
    agent: false,
  })
  sent.end(payload)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return readAnswer(response)
}

/** The value at a dotted path; undefined when there is none. `\.` is a dot within a name. */
export const at = (body: unknown, path: string): unknown =>
  path
    .split(/(?<!\\)\./)
    .map((key) => key.replaceAll('\\.', '.'))
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
      body,
    )

export type StatusView = { reason: unknown; kind: unknown; name: unknown; group: unknown; causes: string[] }

/** The parts of a Status object that fedplane and people check. */
export const statusView = (body: unknown): StatusView => {
  const { reason, details } = (body ?? {}) as { reason?: unknown; details?: Record<string, unknown> }
  const causes = (details?.causes ?? []) as { reason: string; field?: string }[]
  return {
    reason,
    kind: details?.kind,
    name: details?.name,
    group: details?.group,
    causes: causes.map((cause) => `${cause.reason} ${cause.field}`),
  }
}
