import * as z from 'zod'
import { boundedJson, JsonOverBound } from '../core/values/json.ts'
import { listIn, objectIn, parseVersion, storedObjectIn } from './answer-shapes.ts'
import { type AnswerKind, boundOf } from './bounds.ts'
import type { KubernetesClient, KubernetesObject, ListOptions, ObjectList, ReadLimits, Resource } from './client.ts'
import { AnswerTooLarge, NotKubernetes, ObjectConflict } from './errors.ts'
import { describeAsked } from './network-errors.ts'
import { resourcePath } from './resources.ts'
import { answerError, isNotFound } from './status-errors.ts'
import type { TransportAnswer } from './target.ts'
import type { Transport, TransportRequest } from './transport.ts'

const FIELD_MANAGER = 'fedplane'
const JSON_TYPE = 'application/json'

/** Whole objects from servers that make no tables of a kind. */
const TABLE_TYPE = `${JSON_TYPE};as=Table;v=v1;g=meta.k8s.io,${JSON_TYPE}`

/** Kinds whose request bodies hold secret values. */
const SECRET_KINDS = new Set(['Secret', 'TokenRequest', 'TokenReview'])

type Call = Omit<TransportRequest, 'maxBytes'> & { reads: AnswerKind; isSecretBody?: boolean }
type Send = (call: Call) => Promise<TransportAnswer>

/** What a client works with. */
type Wiring = {
  /** Values that no message may hold, for example the bearer token. */
  secrets: readonly string[]
  limits: ReadLimits
}

/** Sends calls, each of which says what it reads, and parses what is answered. */
type Exchange = {
  /** Whatever its status is. @throws AnswerTooLarge, also when all answers together are larger than the client may read */
  sendAny: Send
  /** @throws the errors of `status-errors.ts` */
  send: Send
  /** Undefined on 404. */
  find(call: Call): Promise<TransportAnswer | undefined>
  /** @throws AnswerTooLarge, NotKubernetes */
  parse<T>(answer: TransportAnswer, reads: AnswerKind, read: (json: unknown) => T | undefined): T
}

const exchangeOver = (transport: Transport, { secrets, limits }: Wiring): Exchange => {
  const failure = (answer: TransportAnswer, call: Call) =>
    answerError(answer, { secrets, isSecretBody: call.isSecretBody === true })
  let left = limits.totalBytes
  const sendAny: Send = async (call) => {
    const { reads, isSecretBody: _, ...request } = call
    if (left <= 0) throw readEnough(call, limits)
    const answer = await transport.send({ ...request, maxBytes: Math.min(boundOf(reads, limits).bytes, left) })
    left = Math.max(0, left - Buffer.byteLength(answer.body))
    return answer
  }
  const find: Exchange['find'] = async (call) => {
    const answer = await sendAny(call)
    if (isNotFound(answer)) return
    if (answer.status < 200 || answer.status >= 300) throw failure(answer, call)
    return answer
  }
  return {
    sendAny,
    send: async (call) => {
      const answer = await sendAny(call)
      if (answer.status < 200 || answer.status >= 300) throw failure(answer, call)
      return answer
    },
    find,
    parse: (answer, reads, read) => {
      const parsed = read(jsonOf(answer, boundOf(reads, limits).values))
      if (parsed === undefined) throw notKubernetes(answer)
      return parsed
    },
  }
}

const readEnough = ({ path }: Call, { totalBytes }: ReadLimits): AnswerTooLarge =>
  new AnswerTooLarge(
    `GET ${path} is not asked any more: the API server's answers have more than ${totalBytes} bytes together. Check what answers in its place, and what is in the cluster.`,
    { details: { path, totalBytes } },
  )

/** JSON of an answer; undefined when it is none. @throws AnswerTooLarge for more than is parsed */
const jsonOf = ({ asked, body }: TransportAnswer, values: number): unknown => {
  try {
    return boundedJson(body, values)
  } catch (error) {
    if (!(error instanceof JsonOverBound)) return
    throw new AnswerTooLarge(
      `The answer to ${describeAsked(asked)} ${error.message}, which is more than an API server answers; check what is there, and what answers.`,
      { details: { ...asked, values } },
    )
  }
}

/** The client over one transport. */
export const httpClient = (transport: Transport, wiring: Wiring): KubernetesClient => {
  const exchange = exchangeOver(transport, wiring)
  const { sendAny, send, find, parse } = exchange
  const get: KubernetesClient['get'] = async (resource, name) => {
    const answer = await find({ reads: 'object', method: 'GET', path: resourcePath(resource, name) })
    return answer && parse(answer, 'object', storedObjectIn)
  }
  return {
    get,
    list: (resource, options) => list(exchange, resource, options),
    ...writes(exchange),
    delete: (resource, name, options) => remove({ find, parse, get }, { resource, name, ...options }),
    post: async (path, body) =>
      parse(await send({ ...bodyCall(body), reads: 'review', method: 'POST', path }), 'review', objectIn),
    put: async (path, body) => {
      const answer = await find({ ...bodyCall(body), reads: 'object', method: 'PUT', path })
      return answer && parse(answer, 'object', objectIn)
    },
    raw: async (path, given) => {
      const asked = given === undefined ? { method: 'GET' as const } : { ...bodyCall(given), method: 'POST' as const }
      const { status, body } = await sendAny({ ...asked, reads: 'raw', path })
      return { status, body }
    },
    version: async () => {
      const answer = await send({ reads: 'version', method: 'GET', path: '/version' })
      return parse(answer, 'version', (body) =>
        z.object({ gitVersion: z.string() }).safeParse(body).success ? parseVersion(body) : undefined,
      )
    },
    reach: async () => {
      if (!transport.answersNow()) await sendAny({ reads: 'raw', method: 'GET', path: '/readyz' })
    },
    forward: async (pod) => {
      const forwarded = await transport.forward(pod)
      if ('stream' in forwarded) return forwarded.stream
      throw answerError(forwarded.answer, { secrets: wiring.secrets, isSecretBody: false })
    },
    close: () => transport.close(),
  }
}

const writes = ({ send, parse }: Exchange): Pick<KubernetesClient, 'create' | 'apply' | 'patch'> => ({
  create: async (resource, object, { dryRun = false } = {}) =>
    parse(
      await send({
        reads: 'object',
        ...bodyCall(object),
        method: 'POST',
        path: resourcePath(resource),
        query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', ...(dryRun ? { dryRun: 'All' } : {}) },
      }),
      'object',
      objectIn,
    ),
  apply: async (resource, object, { fieldManager = FIELD_MANAGER, subresource, dryRun = false } = {}) =>
    parse(
      await send({
        reads: 'object',
        ...bodyCall(object),
        method: 'PATCH',
        path: resourcePath(resource, object.metadata.name, ...(subresource === undefined ? [] : [subresource])),
        query: { fieldManager, force: 'true', fieldValidation: 'Strict', ...(dryRun ? { dryRun: 'All' } : {}) },
        contentType: 'application/apply-patch+yaml',
      }),
      'object',
      objectIn,
    ),
  patch: async (resource, name, patch) =>
    parse(
      await send({
        reads: 'object',
        ...bodyCall(patch),
        // A merge patch has no kind of its own.
        isSecretBody: resource.group === '' && resource.plural === 'secrets',
        method: 'PATCH',
        path: resourcePath(resource, name),
        query: { fieldManager: FIELD_MANAGER },
        contentType: 'application/merge-patch+json',
      }),
      'object',
      objectIn,
    ),
})

const bodyCall = (body: unknown): Pick<Call, 'body' | 'contentType' | 'isSecretBody'> => ({
  body: JSON.stringify(body),
  contentType: JSON_TYPE,
  isSecretBody: SECRET_KINDS.has(kindOf(body)),
})

const kindOf = (body: unknown): string => z.object({ kind: z.string() }).safeParse(body).data?.kind ?? ''

const list = async (
  { send, parse }: Exchange,
  resource: Resource,
  { table = false, ...options }: ListOptions = {},
): Promise<ObjectList> => {
  const query = Object.fromEntries(
    Object.entries(options).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )
  const reads = table ? 'table' : 'page'
  const call: Call = { reads, method: 'GET', path: resourcePath(resource), query }
  const answer = await send(table ? { ...call, accept: TABLE_TYPE, query: { ...query, includeObject: 'None' } } : call)
  return { ...parse(answer, reads, listIn), bytes: Buffer.byteLength(answer.body) }
}

type Removal = { resource: Resource; name: string; uid?: string }
type Lookups = Pick<Exchange, 'find' | 'parse'> & Pick<KubernetesClient, 'get'>

/**
 * A precondition that does not hold is a 409, like any other conflict: an observation tells whether the object that was meant is still there.
 */
const remove = async (
  { find, parse, get }: Lookups,
  { resource, name, uid }: Removal,
): Promise<KubernetesObject | undefined> => {
  const options = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Background',
    ...(uid === undefined ? {} : { preconditions: { uid } }),
  }
  try {
    const path = resourcePath(resource, name)
    const answer = await find({ ...bodyCall(options), reads: 'object', method: 'DELETE', path })
    const object = answer && parse(answer, 'object', objectIn)
    return object?.metadata?.deletionTimestamp === undefined ? undefined : object
  } catch (error) {
    if (!(error instanceof ObjectConflict) || uid === undefined) throw error
    if ((await get(resource, name))?.metadata.uid === uid) throw error
    return
  }
}

const notKubernetes = ({ asked, status }: TransportAnswer): NotKubernetes =>
  new NotKubernetes(
    `${describeAsked(asked)} was answered (${status}) by something that is not a Kubernetes API server; check address, port and path.`,
    { details: { ...asked, status } },
  )
