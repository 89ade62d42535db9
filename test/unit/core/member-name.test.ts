import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MEMBER_NAME_MAX, memberNameFor } from '../../../functions/core/membership/membership.ts'

const none: ReadonlySet<string> = new Set()
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

describe('memberNameFor', () => {
  it('keeps a name that is a label already', () => {
    expect(memberNameFor({ id: 'a', name: 'edge-1' }, none)).toBe('edge-1')
  })

  it('tells two clusters of one name apart', () => {
    const first = memberNameFor({ id: 'a', name: 'edge' }, none)
    const second = memberNameFor({ id: 'b', name: 'edge' }, new Set([first]))
    expect(second).toMatch(/^edge-[0-9a-z]{7}$/)
  })

  it('tells names apart that differ only in letters a label lacks', () => {
    expect(memberNameFor({ id: 'a', name: 'Edge_1' }, none)).not.toBe(memberNameFor({ id: 'a', name: 'edge.1' }, none))
  })

  it('gives a label of at most 48 characters for every name', () => {
    return fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }), fc.uuid(), (name, id) => {
        const member = memberNameFor({ id, name }, none)
        expect(member).toMatch(LABEL)
        expect(member.length).toBeLessThanOrEqual(MEMBER_NAME_MAX)
      }),
    )
  })

  it('gives the same name for the same cluster each time', () => {
    const cluster = { id: 'a', name: 'x'.repeat(242) }
    expect(memberNameFor(cluster, none)).toBe(memberNameFor(cluster, none))
  })
})
