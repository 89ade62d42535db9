import { MINOR_MAX, MINOR_MIN } from '../microversion.ts'
import type { Route } from '../route.ts'
import { ERROR_RESPONSES, ERROR_SCHEMAS } from './errors-document.ts'
import type { JsonSchema } from './json-schema.ts'
import { operationObject } from './operation-object.ts'

const PARAMETERS: JsonSchema = {
  Microversion: {
    name: 'OpenStack-API-Version',
    in: 'header',
    required: false,
    description: `\`container-infra <version>\`, from 1.${MINOR_MIN} to 1.${MINOR_MAX} or \`latest\`. Without it 1.${MINOR_MIN} is in effect.`,
    schema: {
      type: 'string',
      enum: [
        ...Array.from({ length: MINOR_MAX - MINOR_MIN + 1 }, (_, index) => `container-infra 1.${index + MINOR_MIN}`),
        'container-infra latest',
      ],
    },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'A repetition with the same key within 24 hours gets the answer of the first request.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
}

const pathsOf = (routes: readonly Route[]): JsonSchema => {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationObject(route) }
  }
  return paths
}

/**
 * The API as an OpenAPI 3.1 document, made from the route table and its schemas.
 *
 * @param baseUrl scheme, host and mount path as clients see them
 */
export const openApiDocument = (routes: readonly Route[], baseUrl: string): JsonSchema => ({
  openapi: '3.1.1',
  info: {
    title: 'fedplane',
    version: `1.${MINOR_MAX}`,
    description:
      'Registers Kubernetes clusters and federates them, behind the OpenStack Magnum API. Attributes that are null or "" count as absent.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: baseUrl }],
  security: [{ token: [] }, { bearer: [] }],
  paths: pathsOf(routes),
  components: {
    parameters: PARAMETERS,
    headers: { RequestId: { description: 'Leads to the log lines of the request.', schema: { type: 'string' } } },
    responses: ERROR_RESPONSES,
    schemas: ERROR_SCHEMAS,
    securitySchemes: {
      token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
      bearer: { type: 'http', scheme: 'bearer' },
    },
  },
})
