import * as z from 'zod'
import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Page, PageRequest } from '../../store/page.ts'
import { isAllowed, requirePolicy } from '../policy.ts'
import { type ApiRequest, type ApiResponse, route, type TableRoute } from '../route.ts'

const TYPE_RULE = 'must be "cluster"'

/** An empty parameter is an absent one. */
const statsQuery = z.object({
  project_id: z
    .string()
    .max(255, { error: 'must be text of at most 255 characters' })
    .optional()
    .transform((text) => text || undefined),
  type: z
    .string()
    .refine((text) => text.toLowerCase() === 'cluster', { error: TYPE_RULE })
    .meta({ enum: ['cluster'] })
    .optional(),
})
type StatsQuery = z.output<typeof statsQuery>

/** Clusters read at once: all that is in memory of them. */
const PAGE = 500

type Pages = (request: PageRequest) => Promise<Page<Cluster>>

/** Whose clusters are counted: of the project asked for, else of all for those who may see them, else the own. */
const pagesFor = (request: ApiRequest<StatsQuery>): Pages => {
  const { ports, query, principal } = request
  const { clusters } = ports.stores
  if (query.project_id !== undefined) {
    const projectId = query.project_id
    requirePolicy(request, 'stats:get_all', { projectId })
    return (page) => clusters.list(projectId, page)
  }
  const allProjects = isAllowed(request, 'stats:get_all_all_projects')
  return (page) => clusters.listWithin({ projectId: principal.projectId, allProjects }, page)
}

/** Those that a driver makes, else those that were seen. */
const nodesOf = ({ nodes, observation }: Cluster): number => {
  const counted = nodes ?? observation
  return counted === null ? 0 : counted.nodeCount + counted.masterCount
}

/** `GET /v1/stats` (magnum-rest.md 7.4). */
const getStats = async (request: ApiRequest<StatsQuery>): Promise<ApiResponse> => {
  const pages = pagesFor(request)
  const stats = { clusters: 0, nodes: 0 }
  let marker: string | undefined
  for (let more = true; more; ) {
    const page = await pages({ limit: PAGE, ...(marker === undefined ? {} : { marker }) })
    stats.clusters += page.items.length
    for (const cluster of page.items) stats.nodes += nodesOf(cluster)
    marker = page.items.at(-1)?.id
    more = page.more && marker !== undefined
  }
  return { status: 200, body: stats }
}

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
