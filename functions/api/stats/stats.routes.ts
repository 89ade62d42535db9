import { route, type TableRoute } from '../route.ts'
import { statsQuery } from './stats.schema.ts'
import { getStats } from './stats.ts'

/** Counts (magnum-rest.md 7.4). */
export const STATS_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: '/v1/stats',
    access: 'table',
    rule: 'stats:get_all',
    summary: 'Counts clusters and nodes.',
    schemas: { query: statsQuery },
    handle: getStats,
  }),
]
