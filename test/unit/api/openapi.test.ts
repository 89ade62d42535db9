import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../../../functions/api/openapi/document.ts'
import { ROUTES } from '../../../functions/api/routes.ts'

type Operation = {
  operationId: string
  summary?: string
  parameters?: { name?: string; in?: string; $ref?: string }[]
  requestBody?: unknown
  responses: Record<string, { content?: unknown }>
}

// biome-ignore lint/suspicious/noExplicitAny: the document is looked at as a client sees it, as JSON.
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

  it('gives each operation an id of its own', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  })

  it('has no reference that leads nowhere', () => {
    for (const ref of refsIn(document)) {
      expect(ref, ref).toMatch(/^#\/components\//)
      expect(target(ref), ref).toBeDefined()
    }
  })

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
