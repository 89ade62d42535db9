import * as z from 'zod'
import { askToObserve, createHook, digestOf, forgetObserving } from '../../core/cluster/observe-commands.ts'
import type { Hook, HookTarget, ObserveKey, ObserveRequest } from '../../core/cluster/observe-request.ts'
import { notFound, RequestTooLarge, TooManyRequests } from '../../core/errors.ts'
import { ClusterNotUsable } from '../../store/errors.ts'
import { Allowance } from '../allowance.ts'
import { noAttributes, parseAttributes } from '../body/attributes.ts'
import { nameField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import { noQuery } from '../query.ts'
import { timestamp } from '../representation.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type BodySchema,
  type PublicRouteRequest,
  route,
  type TableRoute,
} from '../route.ts'
import { findCluster } from './find-cluster.ts'

const CLUSTER = '/v1/clusters/{cluster}'
const OBSERVE = `${CLUSTER}/actions/observe`
const HOOKS = `${CLUSTER}/hooks`

const createSchema = z.object({ name: nameField })
type CreateHook = z.output<typeof createSchema>

const createHookBody: BodySchema<CreateHook> = {
  schema: createSchema,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createSchema, body, { ignored: ['uuid'], readOnly: ['url', 'created_at'] }),
}

const keyOf = async (request: ApiRequest): Promise<ObserveKey> => {
  const { projectId, id: clusterId } = await findCluster(request)
  return { projectId, clusterId }
}

const timeOf = (text: string | null | undefined): string | null => (text ? timestamp(text) : null)

const stateOf = (request: ObserveRequest | undefined): 'running' | 'waiting' | 'idle' => {
  if (request?.begunAt) return 'running'
  return request?.askedAt ? 'waiting' : 'idle'
}

const showRequest = (uuid: string, request: ObserveRequest | undefined) => ({
  uuid,
  state: stateOf(request),
  asked_at: timeOf(request?.askedAt),
  begun_at: timeOf(request?.begunAt),
  ended_at: timeOf(request?.endedAt),
})

const observe = async (request: ApiRequest): Promise<ApiResponse> => {
  const key = await keyOf(request)
  return { status: 202, body: showRequest(key.clusterId, await askToObserve(request.ports, key)) }
}

const showObserve = async (request: ApiRequest): Promise<ApiResponse> => {
  const key = await keyOf(request)
  return { status: 200, body: showRequest(key.clusterId, await request.ports.stores.observeRequests.get(key)) }
}

const showHook = ({ id, name, createdAt }: Hook) => ({ uuid: id, name, created_at: timestamp(createdAt) })

/** The token is in the query, which neither our log nor the gateway's has; the path names the hook. */
const create = async (request: ApiRequest<unknown, CreateHook>): Promise<ApiResponse> => {
  const { ports, principal, body, baseUrl } = request
  const desired = { ...(await keyOf(request)), userId: principal.userId, name: body.name }
  const { hook, token } = await createHook(ports, desired)
  const url = `${baseUrl}/v1/hooks/${hook.id}?token=${token.reveal()}`
  return { status: 201, body: { ...showHook(hook), url } }
}

const list = async (request: ApiRequest): Promise<ApiResponse> => {
  const hooks = await request.ports.stores.hooks.listOf(await keyOf(request))
  return { status: 200, body: { hooks: hooks.map(showHook) } }
}

const remove = async (request: ApiRequest): Promise<ApiResponse> => {
  const { ports, params } = request
  const hooks = await ports.stores.hooks.listOf(await keyOf(request))
  const hook = hooks.find(({ id }) => id === params.hook)
  if (hook === undefined) throw notFound('Hook', params.hook ?? '')
  await ports.stores.commit([ports.stores.hooks.remove(hook)])
  return { status: 204 }
}

/** What the body may have: nobody reads it. */
const POST_BYTES_MAX = 1024 * 1024

/** A flood is refused before it reaches what others share. */
const posts = new Allowance({ burst: 50, perSecond: 10 })

/** @throws ObjectNotVisible */
const findHook = async ({ ports, params, rawQuery }: PublicRouteRequest): Promise<HookTarget & { digest: string }> => {
  const digest = digestOf(new URLSearchParams(rawQuery).get('token') ?? '')
  const target = await ports.stores.hooks.find(digest)
  if (target === undefined || target.id !== params.hook) throw notFound('Hook', params.hook ?? '')
  return { ...target, digest }
}

/** Whatever is posted means: observe now. Nothing of it is trusted, or read. */
const receive = async (request: PublicRouteRequest): Promise<ApiResponse> => {
  const { ports, bodyBytes } = request
  const hook = await findHook(request)
  const retryAfterSeconds = posts.take(hook.digest, ports.clock.now())
  if (retryAfterSeconds > 0) {
    throw new TooManyRequests(`Too much is posted to this hook. Try again in ${retryAfterSeconds} s.`, {
      details: { retryAfterSeconds },
    })
  }
  if (bodyBytes > POST_BYTES_MAX) throw new RequestTooLarge('The body has more than 1 MiB. An empty one will do.')
  try {
    await askToObserve(ports, hook)
  } catch (error) {
    if (!(error instanceof ClusterNotUsable)) throw error
    await forgetObserving(ports, hook)
    throw notFound('Hook', hook.id)
  }
  return { status: 202, body: { uuid: hook.id } }
}

/** An observation at once, for callers with a token and for what only posts. */
export const OBSERVE_ROUTES: readonly TableRoute[] = [
  route({
    method: 'POST',
    path: OBSERVE,
    access: 'table',
    rule: 'cluster:observe',
    summary: 'Observes the health of a cluster at once.',
    schemas: { query: noQuery, body: noAttributes },
    handle: observe,
  }),
  route({
    method: 'GET',
    path: OBSERVE,
    access: 'table',
    rule: 'cluster:get',
    summary: 'Shows whether a cluster is being observed on request, and when that ended last.',
    schemas: { query: noQuery },
    handle: showObserve,
  }),
  route({
    method: 'POST',
    path: HOOKS,
    access: 'table',
    rule: 'hook:create',
    summary: 'Creates a hook, whose URL is shown this once.',
    schemas: { query: noQuery, body: createHookBody },
    handle: create,
  }),
  route({
    method: 'GET',
    path: HOOKS,
    access: 'table',
    rule: 'hook:get_all',
    summary: 'Lists the hooks of a cluster.',
    schemas: { query: noQuery },
    handle: list,
  }),
  route({
    method: 'DELETE',
    path: `${HOOKS}/{hook}`,
    access: 'table',
    rule: 'hook:delete',
    summary: 'Deletes a hook: its URL leads nowhere any more.',
    schemas: { query: noQuery },
    handle: remove,
  }),
  {
    method: 'POST',
    path: '/v1/hooks/{hook}',
    access: 'none',
    query: z.object({ token: z.string() }),
    summary: 'Observes the cluster of a hook at once, whatever the body says.',
    handle: receive,
  },
]
