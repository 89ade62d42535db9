import { isUp } from '../../core/values/workers.ts'
import type { Heartbeat } from '../../store/stores.ts'
import { noQuery } from '../query.ts'
import { timestamp } from '../representation.ts'
import { type ApiRequest, type ApiResponse, route, type TableRoute } from '../route.ts'

const showService = (heartbeat: Heartbeat, now: Date) => ({
  id: heartbeat.number,
  host: heartbeat.host,
  // What clients know as the one that works behind the API.
  binary: 'magnum-conductor',
  state: isUp(heartbeat, now) ? 'up' : 'down',
  report_count: heartbeat.reportCount,
  disabled: false,
  disabled_reason: null,
  created_at: timestamp(heartbeat.createdAt),
  updated_at: timestamp(heartbeat.updatedAt),
})

/** `GET /v1/mservices` (magnum-rest.md 7.5): our scheduled workers. One that never ran is not in it. */
const listServices = async ({ ports }: ApiRequest): Promise<ApiResponse> => {
  const now = ports.clock.now()
  const heartbeats = await ports.stores.heartbeats.list()
  return { status: 200, body: { mservices: heartbeats.map((heartbeat) => showService(heartbeat, now)) } }
}

/** Workers behind the API (magnum-rest.md 7.5). */
export const MSERVICE_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: '/v1/mservices',
    access: 'table',
    rule: 'magnum-service:get_all',
    summary: 'Lists the scheduled workers and whether they run.',
    schemas: { query: noQuery },
    handle: listServices,
  }),
]
