import { STATUS_CODES } from 'node:http'
import * as z from 'zod'
import { CERTIFICATE_ANSWERS } from '../certificates/certificate.answer.schema.ts'
import { CLUSTER_ANSWERS } from '../clusters/cluster.answer.schema.ts'
import { TEMPLATE_ANSWERS } from '../clustertemplates/template.answer.schema.ts'
import type { Answer, Answers } from '../common.answer.schema.ts'
import { CREDENTIAL_ANSWERS } from '../credentials/credential.answer.schema.ts'
import { DRIVER_ANSWERS } from '../drivers/driver.answer.schema.ts'
import { EVENT_ANSWERS } from '../events/events.answer.schema.ts'
import { FEDERATION_ANSWERS } from '../federations/federation.answer.schema.ts'
import { GRANT_ANSWERS } from '../grants/grant.answer.schema.ts'
import { MINOR_MAX, MINOR_MIN } from '../negotiation.ts'
import { NODE_GROUP_ANSWERS } from '../nodegroups/node-group.answer.schema.ts'
import { QUOTA_ANSWERS } from '../quotas/quota.answer.schema.ts'
import type { PrincipalRoute, PublicRoute, Route } from '../route.ts'
import { DISCOVERY_ANSWERS, MSERVICE_ANSWERS, STATS_ANSWERS, WHOAMI_ANSWERS } from '../service/service.answer.schema.ts'
import { TRIGGER_ANSWERS } from '../triggers/trigger.answer.schema.ts'
import {
  answerSchema,
  ERROR_RESPONSES,
  ERROR_SCHEMAS,
  type JsonSchema,
  PUBLIC_REFUSALS,
  REFUSALS,
  requestSchema,
} from './schemas.ts'

/** What every route answers: a test compares with the route table. */
export const ANSWERS: Answers = {
  ...DISCOVERY_ANSWERS,
  ...CLUSTER_ANSWERS,
  ...TEMPLATE_ANSWERS,
  ...NODE_GROUP_ANSWERS,
  ...CERTIFICATE_ANSWERS,
  ...CREDENTIAL_ANSWERS,
  ...FEDERATION_ANSWERS,
  ...GRANT_ANSWERS,
  ...DRIVER_ANSWERS,
  ...QUOTA_ANSWERS,
  ...STATS_ANSWERS,
  ...EVENT_ANSWERS,
  ...TRIGGER_ANSWERS,
  ...WHOAMI_ANSWERS,
  ...MSERVICE_ANSWERS,
}

/** `/v1/clusters/{cluster}/nodegroups` → `clusters`; what the document groups by. */
const tagOf = ({ path }: Route): string => path.split('/')[2] ?? 'discovery'

/** `GET /v1/clusters/{cluster}` → `get-v1-clusters-cluster`. */
const operationId = ({ method, path }: Route): string =>
  [method.toLowerCase(), ...path.split('/').filter((segment) => segment !== '')]
    .join('-')
    .replaceAll(/[{}]/g, '')
    .replaceAll('.', '-')

const pathParameters = ({ path }: Route): JsonSchema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }))

const queryParameters = (query: z.ZodObject | undefined): JsonSchema[] =>
  Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = requestSchema(schema)
    return { name, in: 'query', required: false, ...(description === undefined ? {} : { description }), schema: rest }
  })

const VERSION_HEADER = { $ref: '#/components/parameters/Microversion' }
const IDEMPOTENCY_HEADER = { $ref: '#/components/parameters/IdempotencyKey' }

/** Bodies have no attributes but those that are reported: the server refuses others. Of those it ignores the document says nothing. */
const closed = (schema: JsonSchema): JsonSchema => {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: schema.anyOf.map(closed) }
  return schema.type === 'object' ? { ...schema, additionalProperties: false } : schema
}

const bodyOf = ({ method, schemas }: PrincipalRoute): JsonSchema => {
  if (schemas.body === undefined) return {}
  const schema = closed(requestSchema(schemas.body.schema))
  const content = { 'application/json': { schema } }
  return {
    requestBody: {
      required: true,
      content: method === 'PATCH' ? { ...content, 'application/json-patch+json': { schema } } : content,
    },
  }
}

const contentOf = (answer: Answer): JsonSchema => {
  if (answer === null) return {}
  const byType = answer instanceof z.ZodType ? { 'application/json': answer } : answer
  const content = Object.entries(byType).map(([type, schema]) => [type, { schema: answerSchema(schema) }])
  return { content: Object.fromEntries(content) }
}

const answersOf = ({ method, path }: Route): JsonSchema =>
  Object.fromEntries(
    Object.entries(ANSWERS[`${method} ${path}`] ?? {}).map(([status, answer]) => [
      status,
      {
        description: STATUS_CODES[status] ?? status,
        headers: { 'X-Openstack-Request-Id': { $ref: '#/components/headers/RequestId' } },
        ...contentOf(answer),
      },
    ]),
  )

const ofPrincipal = (route: PrincipalRoute): JsonSchema => ({
  description: [
    `Policy rule \`${route.rule}\`.`,
    ...(route.minVersion === undefined ? [] : [`From microversion 1.${route.minVersion} on.`]),
  ].join(' '),
  parameters: [
    ...pathParameters(route),
    ...queryParameters(route.schemas.query),
    VERSION_HEADER,
    ...(route.idempotent ? [IDEMPOTENCY_HEADER] : []),
  ],
  ...bodyOf(route),
  responses: { ...REFUSALS, ...answersOf(route) },
})

const ofAnybody = (route: PublicRoute): JsonSchema => {
  const parameters = [...pathParameters(route), ...queryParameters(route.query)]
  return {
    security: [],
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { ...PUBLIC_REFUSALS, ...answersOf(route) },
  }
}

/** One method of one path (OpenAPI 3.1, Operation Object). */
const operationObject = (route: Route): JsonSchema => ({
  operationId: operationId(route),
  summary: route.summary,
  tags: [tagOf(route)],
  ...(route.access === 'none' ? ofAnybody(route) : ofPrincipal(route)),
})

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
