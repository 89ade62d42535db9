import { deleteTrigger, replayDelivery, testTrigger } from '../../core/trigger/trigger-commands.ts'
import { noAttributes } from '../body/attributes.ts'
import { listResponse } from '../lists.ts'
import { noQuery, type PageQuery, pageQuery } from '../query.ts'
import { type ApiRequest, type ApiResponse, route, type TableRoute } from '../route.ts'
import { findDelivery, findTrigger, showDelivery, showTrigger } from './show-trigger.ts'

const COLLECTION = '/v1/triggers'
const ITEM = '/v1/triggers/{trigger}'

const listTriggers = async ({ ports, principal }: ApiRequest): Promise<ApiResponse> => {
  const triggers = await ports.stores.triggers.listOf(principal.projectId)
  return { status: 200, body: { triggers: triggers.map(showTrigger) } }
}

const getTrigger = async (request: ApiRequest): Promise<ApiResponse> => ({
  status: 200,
  body: showTrigger(await findTrigger(request)),
})

const removeTrigger = async (request: ApiRequest): Promise<ApiResponse> => {
  await deleteTrigger(request.ports, await findTrigger(request))
  return { status: 204 }
}

const listDeliveries = async (request: ApiRequest<PageQuery>): Promise<ApiResponse> => {
  const { ports, query, baseUrl } = request
  const trigger = await findTrigger(request)
  const { limit, marker } = query
  const page = await ports.stores.triggers.deliveriesOf(trigger, { limit, ...(marker === undefined ? {} : { marker }) })
  return listResponse(page, query, {
    collection: 'deliveries',
    url: `${baseUrl}/v1/triggers/${trigger.id}/deliveries`,
    write: (delivery) => JSON.stringify(showDelivery(delivery)),
  })
}

const test = async (request: ApiRequest): Promise<ApiResponse> => ({
  status: 202,
  body: showDelivery(await testTrigger(request.ports, await findTrigger(request))),
})

const replay = async (request: ApiRequest): Promise<ApiResponse> => {
  const former = await findDelivery(request, await findTrigger(request))
  return { status: 202, body: showDelivery(await replayDelivery(request.ports, former)) }
}

/** What is called when something happens. Those that make a secret need keys (`triggers.keys-routes.ts`). */
export const TRIGGER_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: 'table',
    rule: 'trigger:get_all',
    summary: 'Lists the triggers of the project.',
    schemas: { query: noQuery },
    handle: listTriggers,
  }),
  route({
    method: 'GET',
    path: ITEM,
    access: 'table',
    rule: 'trigger:get',
    summary: 'Shows a trigger.',
    schemas: { query: noQuery },
    handle: getTrigger,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'trigger:delete',
    summary: 'Deletes a trigger; nothing is sent to its target any more.',
    schemas: { query: noQuery },
    handle: removeTrigger,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/deliveries`,
    access: 'table',
    rule: 'trigger:get',
    summary: 'Lists what was or is sent to the target, of the last 30 days.',
    schemas: { query: pageQuery },
    handle: listDeliveries,
  }),
  route({
    method: 'POST',
    path: `${ITEM}/actions/test`,
    access: 'table',
    rule: 'trigger:update',
    summary: 'Sends a test event to the target.',
    schemas: { query: noQuery, body: noAttributes },
    handle: test,
  }),
  route({
    method: 'POST',
    path: `${ITEM}/deliveries/{delivery}/actions/replay`,
    access: 'table',
    rule: 'trigger:update',
    summary: 'Sends once more what was delivered or given up.',
    schemas: { query: noQuery, body: noAttributes },
    handle: replay,
  }),
]
