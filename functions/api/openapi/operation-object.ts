import { STATUS_CODES } from 'node:http'
import * as z from 'zod'
import type { Answer } from '../answers.ts'
import type { PrincipalRoute, Route } from '../route.ts'
import { ANSWERS } from './answers.ts'
import { PUBLIC_REFUSALS, REFUSALS } from './errors-document.ts'
import { answerSchema, type JsonSchema, requestSchema } from './json-schema.ts'

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

const queryParameters = ({ schemas }: PrincipalRoute): JsonSchema[] =>
  Object.entries(schemas.query.shape).map(([name, schema]) => {
    const { description, ...rest } = requestSchema(schema)
    return { name, in: 'query', required: false, ...(description === undefined ? {} : { description }), schema: rest }
  })

const VERSION_HEADER = { $ref: '#/components/parameters/Microversion' }
const IDEMPOTENCY_HEADER = { $ref: '#/components/parameters/IdempotencyKey' }

/** Bodies have no attributes but those that are told: the server refuses others. Of those it ignores the document says nothing. */
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
    ...queryParameters(route),
    VERSION_HEADER,
    ...(route.idempotent ? [IDEMPOTENCY_HEADER] : []),
  ],
  ...bodyOf(route),
  responses: { ...REFUSALS, ...answersOf(route) },
})

/** One method of one path (OpenAPI 3.1, Operation Object). */
export const operationObject = (route: Route): JsonSchema => ({
  operationId: operationId(route),
  summary: route.summary,
  tags: [tagOf(route)],
  ...(route.access === 'none'
    ? { security: [], responses: { ...PUBLIC_REFUSALS, ...answersOf(route) } }
    : ofPrincipal(route)),
})
