import { noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { mservicesAnswer } from './mservice.answer.schema.ts'
import { listServices } from './mservices.ts'

/** Workers behind the API (magnum-rest.md 7.5). */
export const MSERVICE_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/mservices',
    access: 'table',
    rule: 'magnum-service:get_all',
    summary: 'Lists the scheduled workers and whether they run',
    schemas: { query: noQuery },
    answers: { 200: mservicesAnswer },
    handle: listServices,
  }),
]
