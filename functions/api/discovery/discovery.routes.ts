import type { Route } from '../route.ts'
import { healthAnswer, openApiAnswer, versionAnswer, versionsAnswer } from './discovery.answer.schema.ts'
import { showHealth, showOpenApi, showVersion, showVersions } from './discovery.ts'

/** Open to all. */
export const DISCOVERY_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/',
    access: 'none',
    summary: 'Lists the versions of the API.',
    answers: { 200: versionsAnswer },
    handle: showVersions,
  },
  {
    method: 'GET',
    path: '/v1',
    access: 'none',
    summary: 'Lists the resources of the API.',
    answers: { 200: versionAnswer },
    handle: showVersion,
  },
  {
    method: 'GET',
    path: '/v1/openapi.json',
    access: 'none',
    summary: 'Describes the API as an OpenAPI 3.1 document.',
    answers: { 200: openApiAnswer },
    handle: showOpenApi,
  },
  {
    method: 'GET',
    path: '/healthcheck',
    access: 'none',
    summary: 'Tells whether server and database answer.',
    answers: { 200: healthAnswer },
    handle: showHealth,
  },
]
