import { StoreBusy } from '../../store/errors.ts'
import { MINOR_MAX, MINOR_MIN } from '../negotiation.ts'
import { noQuery } from '../query.ts'
import { type ApiRequest, type ApiResponse, type PublicRequest, route, type TableRoute } from '../route.ts'

/** Collections of the Magnum API, as `GET /v1` lists them (magnum-rest.md 1.2). */
const MAGNUM_COLLECTIONS: readonly string[] = [
  'clustertemplates',
  'clusters',
  'quotas',
  'certificates',
  'mservices',
  'stats',
  'federations',
  'credentials',
]

const DOCUMENTATION = 'https://docs.openstack.org/api-ref/container-infrastructure-management/'

/** `GET /` (magnum-rest.md 1.1): which versions there are. */
const showVersions = async ({ baseUrl }: PublicRequest): Promise<ApiResponse> => ({
  status: 200,
  body: {
    name: 'OpenStack Magnum API',
    description: 'fedplane: registers Kubernetes clusters and federates them, behind the OpenStack Magnum API.',
    versions: [
      {
        id: 'v1',
        status: 'CURRENT',
        min_version: `1.${MINOR_MIN}`,
        max_version: `1.${MINOR_MAX}`,
        links: [{ rel: 'self', href: `${baseUrl}/v1/` }],
      },
    ],
  },
})

const pair = (self: string, bookmark: string) => [
  { href: self, rel: 'self' },
  { href: bookmark, rel: 'bookmark' },
]

/** `GET /v1` (magnum-rest.md 1.2): which resources there are, Magnum's and ours. */
const showVersion = async ({ baseUrl }: PublicRequest): Promise<ApiResponse> => ({
  status: 200,
  body: {
    id: 'v1',
    media_types: [{ base: 'application/json', type: 'application/vnd.openstack.magnum.v1+json' }],
    links: [
      { href: `${baseUrl}/v1/`, rel: 'self' },
      { href: DOCUMENTATION, rel: 'describedby', type: 'text/html' },
    ],
    ...Object.fromEntries(
      [...MAGNUM_COLLECTIONS, 'drivers'].map((name) => [name, pair(`${baseUrl}/v1/${name}/`, `${baseUrl}/${name}/`)]),
    ),
    nodegroups: pair(`${baseUrl}/v1/clusters/{cluster_id}/nodegroups`, `${baseUrl}/clusters/{cluster_id}/nodegroups`),
  },
})

/** `GET /v1/openapi.json`: what there is, for machines. */
const showOpenApi = async ({ settings, baseUrl }: PublicRequest): Promise<ApiResponse> => ({
  status: 200,
  text: settings.openApi(baseUrl),
})

/** How long the database may take to answer the health check, milliseconds: those who ask wait for seconds, and no longer. */
const DATABASE_ANSWERS_WITHIN_MS = 2_500

const SILENT = `The database has not answered within ${DATABASE_ANSWERS_WITHIN_MS / 1000} seconds.`

/** Reads a key that nothing has: what counts is that the database answers. */
const readNothing = async ({ ports }: PublicRequest): Promise<string | undefined> => {
  try {
    await ports.stores.clusters.get({ projectId: 'healthcheck', id: 'healthcheck' })
    return undefined
  } catch (error) {
    if (error instanceof StoreBusy) return error.message
    throw error
  }
}

const databaseFault = async (request: PublicRequest): Promise<string | undefined> => {
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => late.resolve(SILENT), DATABASE_ANSWERS_WITHIN_MS)
  try {
    return await Promise.race([readNothing(request), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * `GET /healthcheck`: 200 when process and database answer, else 503 with the reason, within 3 s. JSON when asked for JSON, else text
 * (magnum-rest.md 1.2, 13.12).
 */
const showHealth = async (request: PublicRequest): Promise<ApiResponse> => {
  const fault = await databaseFault(request)
  const status = fault === undefined ? 200 : 503
  return request.headers.accept?.includes('application/json')
    ? { status, body: { detailed: false, reasons: fault === undefined ? [] : [fault] } }
    : { status, text: fault ?? 'OK', headers: { 'Content-Type': 'text/plain; charset=UTF-8' } }
}

/** Open to all. */
export const DISCOVERY_ROUTES: readonly TableRoute[] = [
  {
    method: 'GET',
    path: '/',
    access: 'none',
    summary: 'Lists the versions of the API.',
    handle: showVersions,
  },
  {
    method: 'GET',
    path: '/v1',
    access: 'none',
    summary: 'Lists the resources of the API.',
    handle: showVersion,
  },
  {
    method: 'GET',
    path: '/v1/openapi.json',
    access: 'none',
    summary: 'Describes the API as an OpenAPI 3.1 document.',
    handle: showOpenApi,
  },
  {
    method: 'GET',
    path: '/healthcheck',
    access: 'none',
    summary: 'Tells whether server and database answer.',
    handle: showHealth,
  },
]

/** As whom the server takes the caller, and which authority vouched for that. */
const whoami = async ({ principal }: ApiRequest): Promise<ApiResponse> => {
  const { userId, projectId, roles, source } = principal
  return { status: 200, body: { user_id: userId, project_id: projectId, roles, source } }
}

/** Who calls: for clients that act in the caller's own project, also where that caller sees others. */
export const WHOAMI_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: '/v1/whoami',
    access: 'table',
    rule: 'identity:get',
    summary: 'Says who calls: user, project and roles.',
    schemas: { query: noQuery },
    handle: whoami,
  }),
]
