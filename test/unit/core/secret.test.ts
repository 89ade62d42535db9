import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'

describe('Secret', () => {
  const secret = new Secret('marker-value')

  it.each([
    ['template text', () => `${secret}`],
    ['JSON', () => JSON.stringify({ secret })],
    ['inspect', () => inspect({ secret }, { depth: 9, showHidden: true })],
    ['spread', () => JSON.stringify({ ...secret })],
    ['structured clone', () => JSON.stringify(structuredClone({ secret }))],
  ])('shows nothing as %s', (_how, show) => {
    expect(show()).not.toContain('marker-value')
  })

  it('reveals its value when asked', () => {
    expect(secret.reveal()).toBe('marker-value')
  })
})
