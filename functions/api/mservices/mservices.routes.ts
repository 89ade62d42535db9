import { noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { listServices } from './mservices.ts'

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
