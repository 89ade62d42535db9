import * as z from 'zod'
import type { KubernetesClient, KubernetesObject, ListOptions, ObjectList, Resource } from './client.ts'
import { NotKubernetes, ObjectConflict } from './errors.ts'
import { describeAsked } from './network-errors.ts'
import { resourcePath } from './resource-path.ts'
import { answerError, isNotFound, jsonBody } from './status-errors.ts'
import type { TransportAnswer } from './target.ts'
import type { Transport, TransportRequest } from './transport.ts'
import { parseVersion } from './version.ts'

const FIELD_MANAGER = 'fedplane'
const JSON_TYPE = 'application/json'

/** The least that makes an answer of the API one of Kubernetes; the rest is kept as it is. */
const KubernetesObjectShape = z.looseObject({ apiVersion: z.string(), kind: z.string() })
/** What is stored has a name besides. */
const Stored = z.looseObject({ metadata: z.looseObject({ name: z.string() }) })
const ListShape = z.looseObject({
  apiVersion: z.string(),
  kind: z.string().endsWith('List'),
  metadata: z.looseObject({ continue: z.string().optional() }).catch({}),
  // Go writes an empty list as null.
  items: z
    .array(Stored)
    .nullable()
    .transform((items) => items ?? []),
})

/** Kinds whose request bodies hold secret values. */
const SECRET_KINDS = new Set(['Secret', 'TokenRequest', 'TokenReview'])

type Call = TransportRequest & { isSecretBody?: boolean }
type Send = (call: Call) => Promise<TransportAnswer>

/**
 * The client over one transport. `secrets` are values that no message may hold, for example the bearer token.
 */
export const httpClient = (transport: Transport, secrets: readonly string[]): KubernetesClient => {
  const failure = (answer: TransportAnswer, call: Call) =>
    answerError(answer, { secrets, isSecretBody: call.isSecretBody === true })
  const sendAny: Send = (call) => transport.send(call)
  const send: Send = async (call) => {
    const answer = await transport.send(call)
    if (answer.status < 200 || answer.status >= 300) throw failure(answer, call)
    return answer
  }
  /** Undefined on 404. */
  const find = async (call: Call): Promise<TransportAnswer | undefined> => {
    const answer = await sendAny(call)
    if (isNotFound(answer)) return
    if (answer.status < 200 || answer.status >= 300) throw failure(answer, call)
    return answer
  }
  const get: KubernetesClient['get'] = async (resource, name) => {
    const answer = await find({ method: 'GET', path: resourcePath(resource, name) })
    return answer && storedObjectOf(answer)
  }
  return {
    get,
    list: (resource, options) => list(send, resource, options),
    ...writes(send),
    delete: (resource, name, options) => remove({ find, get }, { resource, name, ...options }),
    post: async (path, body) => objectOf(await send({ ...bodyCall(body), method: 'POST', path })),
    put: async (path, body) => {
      const answer = await find({ ...bodyCall(body), method: 'PUT', path })
      return answer && objectOf(answer)
    },
    raw: async (path, given) => {
      const call: Call = given === undefined ? { method: 'GET', path } : { ...bodyCall(given), method: 'POST', path }
      const { status, body } = await sendAny(call)
      return { status, body }
    },
    version: async () => {
      const answer = await send({ method: 'GET', path: '/version' })
      const body = jsonBody(answer)
      if (!z.object({ gitVersion: z.string() }).safeParse(body).success) throw notKubernetes(answer)
      return parseVersion(body)
    },
    reach: async () => {
      if (!transport.answersNow()) await sendAny({ method: 'GET', path: '/readyz' })
    },
    forward: async (pod) => {
      const forwarded = await transport.forward(pod)
      if ('stream' in forwarded) return forwarded.stream
      throw answerError(forwarded.answer, { secrets, isSecretBody: false })
    },
    close: () => transport.close(),
  }
}

const writes = (send: Send): Pick<KubernetesClient, 'create' | 'apply' | 'patch'> => ({
  create: async (resource, object, { dryRun = false } = {}) =>
    objectOf(
      await send({
        ...bodyCall(object),
        method: 'POST',
        path: resourcePath(resource),
        query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', ...(dryRun ? { dryRun: 'All' } : {}) },
      }),
    ),
  apply: async (resource, object, { fieldManager = FIELD_MANAGER, subresource, dryRun = false } = {}) =>
    objectOf(
      await send({
        ...bodyCall(object),
        method: 'PATCH',
        path: resourcePath(resource, object.metadata.name, ...(subresource === undefined ? [] : [subresource])),
        query: { fieldManager, force: 'true', fieldValidation: 'Strict', ...(dryRun ? { dryRun: 'All' } : {}) },
        contentType: 'application/apply-patch+yaml',
      }),
    ),
  patch: async (resource, name, patch) =>
    objectOf(
      await send({
        ...bodyCall(patch),
        // A merge patch has no kind of its own.
        isSecretBody: resource.group === '' && resource.plural === 'secrets',
        method: 'PATCH',
        path: resourcePath(resource, name),
        query: { fieldManager: FIELD_MANAGER },
        contentType: 'application/merge-patch+json',
      }),
    ),
})

const bodyCall = (body: unknown): Pick<Call, 'body' | 'contentType' | 'isSecretBody'> => ({
  body: JSON.stringify(body),
  contentType: JSON_TYPE,
  isSecretBody: SECRET_KINDS.has(kindOf(body)),
})

const kindOf = (body: unknown): string => z.object({ kind: z.string() }).safeParse(body).data?.kind ?? ''

const list = async (send: Send, resource: Resource, options: ListOptions = {}): Promise<ObjectList> => {
  const query = Object.fromEntries(
    Object.entries(options).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )
  const answer = await send({ method: 'GET', path: resourcePath(resource), query })
  const parsed = ListShape.safeParse(jsonBody(answer))
  if (!parsed.success) throw notKubernetes(answer)
  const { apiVersion, kind, metadata, items } = parsed.data
  // Items of built-in kinds come without apiVersion and kind.
  const named = items.map((item) => ({ apiVersion, kind: kind.slice(0, -'List'.length), ...item }) as KubernetesObject)
  const next = metadata.continue ? { continue: metadata.continue } : {}
  return { items: named, ...next, bytes: Buffer.byteLength(answer.body) }
}

type Removal = { resource: Resource; name: string; uid?: string }
type Lookups = { find: (call: Call) => Promise<TransportAnswer | undefined>; get: KubernetesClient['get'] }

/**
 * A precondition that does not hold is a 409, like any other conflict: a look tells whether the object that was meant is still there.
 */
const remove = async (
  { find, get }: Lookups,
  { resource, name, uid }: Removal,
): Promise<KubernetesObject | undefined> => {
  const options = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Background',
    ...(uid === undefined ? {} : { preconditions: { uid } }),
  }
  try {
    const answer = await find({ ...bodyCall(options), method: 'DELETE', path: resourcePath(resource, name) })
    const object = answer && objectOf(answer)
    return object?.metadata?.deletionTimestamp === undefined ? undefined : object
  } catch (error) {
    if (!(error instanceof ObjectConflict) || uid === undefined) throw error
    if ((await get(resource, name))?.metadata.uid === uid) throw error
    return
  }
}

const objectOf = (answer: TransportAnswer): KubernetesObject => {
  const parsed = KubernetesObjectShape.safeParse(jsonBody(answer))
  if (!parsed.success) throw notKubernetes(answer)
  return parsed.data as KubernetesObject
}

const storedObjectOf = (answer: TransportAnswer): KubernetesObject => {
  const object = objectOf(answer)
  if (!Stored.safeParse(object).success) throw notKubernetes(answer)
  return object
}

const notKubernetes = ({ asked, status }: TransportAnswer): NotKubernetes =>
  new NotKubernetes(
    `${describeAsked(asked)} was answered (${status}) by something that is not a Kubernetes API server; check address, port and path.`,
    { details: { ...asked, status } },
  )
