import { describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import { redact } from '../../../functions/runtime/redact.ts'
import { StoreBusy } from '../../../functions/store/errors.ts'

const MARKER = 'marker-secret'

describe('redact', () => {
  it.each([
    ['a Secret', { credential: new Secret(MARKER) }],
    ['a Secret in a list', { credentials: [{ value: new Secret(MARKER) }] }],
    ['a header', { headers: { Authorization: MARKER } }],
    ['a token header', { headers: { 'X-Auth-Token': MARKER } }],
    ['a kubeconfig', { body: { kubeconfig: MARKER } }],
    ['a kubeconfig object', { body: { kubeconfig: { users: [MARKER] } } }],
    ['a client key', { user: { 'client-key-data': MARKER } }],
    ['a key in PEM', { keyPem: MARKER }],
    ['bytes', { key: new TextEncoder().encode(MARKER) }],
    ['input quoted by a parser', { error: new SyntaxError(`Unexpected token in "${MARKER}"`) }],
    ['a body quoted by the cause', { error: new StoreBusy('Busy.', { cause: new Error(MARKER) }) }],
    ['details', { error: new StoreBusy('Busy.', { details: { token: MARKER } }) }],
  ])('takes out %s', (_, fields) => {
    expect(JSON.stringify(redact(fields))).not.toContain(MARKER)
  })

  it('keeps what a reader of the log needs', () => {
    const refused = Object.assign(new Error('not allowed'), { name: 'AccessDeniedException', $metadata: {} })
    expect(
      redact({
        federationId: 'f',
        count: 2,
        none: null,
        error: new StoreBusy('Busy.', { cause: refused, details: { n: 1 } }),
      }),
    ).toEqual({
      federationId: 'f',
      count: 2,
      none: null,
      error: {
        name: 'StoreBusy',
        message: 'Busy.',
        kind: 'unavailable',
        details: { n: 1 },
        cause: expect.objectContaining({ name: 'AccessDeniedException', message: 'not allowed' }),
      },
    })
  })

  it('keeps name and code of a foreign cause', () => {
    const cause = Object.assign(new Error('connect 10.0.0.1'), { code: 'ECONNREFUSED' })
    expect(redact({ error: new StoreBusy('Busy.', { cause }) })).toMatchObject({
      error: { cause: { name: 'Error', code: 'ECONNREFUSED' } },
    })
  })

  it('ends at circles and at depth', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    let deep: unknown = 'bottom'
    for (let level = 0; level < 20; level += 1) deep = { deep }
    expect(JSON.stringify(redact({ circle, deep }))).toMatch(/<circular>.*<deep>/)
  })

  it('leaves its input as it was', () => {
    const fields = { token: MARKER }
    redact(fields)
    expect(fields.token).toBe(MARKER)
  })
})
