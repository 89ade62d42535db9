import type { TableRoute } from '../route.ts'
import { showHealth, showOpenApi, showVersion, showVersions } from './discovery.ts'

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
