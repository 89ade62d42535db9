import { describe, expect, it } from 'vitest'
import { ANSWERS, openApiDocument } from '../../../functions/api/openapi/document.ts'
import { ROUTES } from '../../../functions/api/routes.ts'

type BodySchema = { type?: string; additionalProperties?: boolean; anyOf?: BodySchema[] }
type Operation = {
  operationId: string
  summary?: string
  parameters?: { name?: string; in?: string; $ref?: string }[]
  requestBody?: { content: Record<string, { schema: BodySchema }> }
  responses: Record<string, { content?: unknown }>
}

// biome-ignore lint/suspicious/noExplicitAny: the document is checked as a client sees it, as JSON.
const document: any = JSON.parse(JSON.stringify(openApiDocument(ROUTES, 'https://api.example.com/magnum')))
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
)

const refsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [String(inner)] : refsIn(inner)))
}

const target = (ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, segment) => (at as Record<string, unknown> | undefined)?.[segment], document)

describe('OpenAPI document', () => {
  it('names the server that it was asked for', () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.servers).toEqual([{ url: 'https://api.example.com/magnum' }])
  })

  it('has exactly the routes', () => {
    expect(operations.map(({ name }) => name).sort()).toEqual(
      ROUTES.map(({ method, path }) => `${method} ${path}`).sort(),
    )
  })

  it('knows what each route answers, and of no other', () => {
    expect(Object.keys(ANSWERS).sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort())
  })

  it('gives each operation an id of its own', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  })

  it('has no reference that leads nowhere', () => {
    for (const ref of refsIn(document)) {
      expect(ref, ref).toMatch(/^#\/components\//)
      expect(target(ref), ref).toBeDefined()
    }
  })

  it('tells all media types of an answer', () => {
    const { responses } = document.paths['/healthcheck'].get
    for (const status of ['200', '503']) {
      expect(Object.keys(responses[status].content), status).toEqual(['application/json', 'text/plain'])
    }
  })

  it('tells of Idempotency-Key where it is read', () => {
    const reads = operations.filter(({ operation }) =>
      operation.parameters?.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
    )
    expect(reads.map(({ name }) => name).sort()).toEqual([
      'POST /v1/clusters',
      'POST /v1/clusters/{cluster}/grants',
      'POST /v1/clusters/{cluster}/nodegroups',
      'POST /v1/clustertemplates',
      'POST /v1/federations',
      'POST /v1/quotas',
    ])
  })

  it('tells which texts a query parameter takes', () => {
    const schemaOf = (path: string, name: string) =>
      document.paths[path].get.parameters.find((parameter: { name?: string }) => parameter.name === name).schema
    expect(schemaOf('/v1/clusters', 'marker')).toMatchObject({ type: 'string', format: 'uuid' })
    expect(schemaOf('/v1/stats', 'type')).toMatchObject({ type: 'string', enum: ['cluster'] })
    const flag = new RegExp(schemaOf('/v1/quotas', 'all_tenants').pattern)
    expect(['true', 'False', '1', 'ON'].every((text) => flag.test(text))).toBe(true)
    expect(['', 'perhaps', 'truely'].some((text) => flag.test(text))).toBe(false)
  })

  it.each(operations.filter(({ operation }) => operation.requestBody !== undefined))(
    '$name takes no attributes but those that it tells',
    ({ operation }) => {
      const { schema } = operation.requestBody!.content['application/json']!
      for (const form of schema.anyOf ?? [schema]) {
        if (form.type !== 'array') expect(form.additionalProperties).toBe(false)
      }
    },
  )

  it.each(operations)('$name says what it does, takes and answers', ({ path, operation }) => {
    expect(operation.summary).toMatch(/^[A-Z].*\.$/)
    const parameters = operation.parameters ?? []
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true)
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(response.content !== undefined || status === '204' || '$ref' in response, status).toBe(true)
    }
  })
})
