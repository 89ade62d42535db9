import { InvalidRequest, notFound } from '../../core/errors.ts'
import type { TablePorts } from '../../core/ports.ts'
import {
  LIMIT_RESOURCES,
  PROJECT_LIMITS,
  type ProjectLimits,
  QUOTA_RESOURCES,
  type Quota,
  type QuotaResource,
} from '../../core/values/quota.ts'
import { listInWords, quote } from '../../core/values/wording.ts'
import { type Columns, type Listing, listResponse, selectPage } from '../lists.ts'
import { requirePolicy } from '../policy.ts'
import { timestamp } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import type { ApiSettings } from '../settings.ts'
import type { QuotasQuery } from './quota.schema.ts'

/** A quota as Magnum shows it (magnum-rest.md 7.3). */
export const showQuota = (quota: Quota) => ({
  id: quota.number,
  project_id: quota.projectId,
  resource: quota.resource,
  hard_limit: quota.hardLimit,
  created_at: timestamp(quota.createdAt),
  updated_at: timestamp(quota.updatedAt),
})

/** Longest project id that a quota can have. */
const PROJECT_ID_MAX = 255

/** The quota that a path names; undefined when none is set, or none can be. */
export const storedQuota = async (
  ports: TablePorts,
  projectId: string,
  resource: string,
): Promise<Quota | undefined> => {
  const known = QUOTA_RESOURCES.find((one) => one === resource)
  if (known === undefined || projectId.length > PROJECT_ID_MAX) return undefined
  return ports.stores.quotas.get(projectId, known)
}

/** A quota with the id that lists and markers know it by. */
type Listed = { id: string; quota: Quota }

const COLUMNS: Columns<Listed> = {
  id: ({ quota }) => quota.number,
  project_id: ({ quota }) => quota.projectId,
  resource: ({ quota }) => quota.resource,
  hard_limit: ({ quota }) => quota.hardLimit,
  created_at: ({ quota }) => quota.createdAt,
  updated_at: ({ quota }) => quota.updatedAt,
}

const listingOf = (all: readonly Listed[]): Listing<Listed> => ({
  noun: 'Quota',
  columns: COLUMNS,
  get: async (id) => all.find((listed) => listed.id === id),
  page: async ({ limit, marker }) => {
    const from = marker === undefined ? 0 : all.findIndex(({ id }) => id === marker) + 1
    return { items: all.slice(from, from + limit), more: from + limit < all.length }
  },
})

const quotasFor = async (request: ApiRequest<QuotasQuery>): Promise<Quota[]> => {
  const { quotas } = request.ports.stores
  if (request.query.all_tenants) {
    requirePolicy(request, 'quota:get_all_all_projects')
    return quotas.list()
  }
  const own = await Promise.all(QUOTA_RESOURCES.map((it) => quotas.get(request.principal.projectId, it)))
  return own.flatMap((quota) => quota ?? []).sort((one, other) => one.number - other.number)
}

/** `GET /v1/quotas` (magnum-rest.md 7.3): the own project's, or all with `all_tenants`. */
export const listQuotas = async (request: ApiRequest<QuotasQuery>): Promise<ApiResponse> => {
  const { query, baseUrl } = request
  const all = (await quotasFor(request)).map((quota) => ({ id: String(quota.number), quota }))
  if (query.marker !== undefined && !all.some(({ id }) => id === query.marker)) throw notFound('Quota', query.marker)
  return listResponse(await selectPage(listingOf(all), query), query, {
    collection: 'quotas',
    url: `${baseUrl}/v1/quotas`,
    keep: { all_tenants: query.all_tenants ? 'True' : undefined },
    write: ({ quota }) => JSON.stringify(showQuota(quota)),
  })
}

/** Magnum gives every resource the limit of clusters, which would be a wrong answer of what there are other limits for. @throws InvalidRequest */
const requireKnown = (resource: string): QuotaResource => {
  const known = QUOTA_RESOURCES.find((one) => one === resource)
  if (known !== undefined) return known
  throw new InvalidRequest(
    `There are no quotas of ${quote(resource)}; "resource" must be one of ${listInWords(QUOTA_RESOURCES.map(quote))}.`,
  )
}

/** What holds where no quota is set. */
const defaultLimit = (
  { clustersPerProject, projectLimits = PROJECT_LIMITS }: ApiSettings,
  resource: QuotaResource,
): number => {
  const kinds = Object.keys(projectLimits) as (keyof ProjectLimits)[]
  const kind = kinds.find((one) => LIMIT_RESOURCES[one] === resource)
  return kind === undefined ? clustersPerProject : projectLimits[kind]
}

/** `GET /v1/quotas/{project}/{resource}`: where none is set, what holds then, and not 404 (magnum-rest.md section 11, row 20). */
export const getQuota = async (request: ApiRequest): Promise<ApiResponse> => {
  const { ports, settings, params } = request
  const { project: projectId = '' } = params
  requirePolicy(request, 'quota:get', { projectId })
  const resource = requireKnown(params.resource ?? '')
  const quota = await storedQuota(ports, projectId, resource)
  if (quota !== undefined) return { status: 200, body: showQuota(quota) }
  return { status: 200, body: { project_id: projectId, resource, hard_limit: defaultLimit(settings, resource) } }
}

/** A request, as far as it says where quotas are and who asks. */
type Asking = Pick<ApiRequest, 'ports' | 'settings' | 'principal'>

/** Clusters that a project may have: its quota, or the installation's default (magnum-rest.md 7.3). Default: the caller's project. */
export const clusterLimit = async (
  { ports, settings, principal }: Asking,
  projectId: string = principal.projectId,
): Promise<number> => (await ports.stores.quotas.get(projectId))?.hardLimit ?? settings.clustersPerProject
