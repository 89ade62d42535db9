import { describe, expect, it } from 'vitest'
import { booleanOf } from '../../../functions/api/body/fields.ts'
import { readJson } from '../../../functions/api/body/read-body.ts'

describe('booleanOf', () => {
  it.each([
    ['true', true],
    [' ON ', true],
    [1, true],
    ['F', false],
    [0, false],
    ['', undefined],
    ['perhaps', undefined],
    [2, undefined],
  ])('%j is %j', (value, wanted) => {
    expect(booleanOf(value)).toBe(wanted)
  })

  it.each(['{}', '{"toString": "true"}', '[]', '["true"]', 'null'])('%s as it comes in a body is none', (text) => {
    expect(booleanOf(readJson(text))).toBeUndefined()
  })
})
