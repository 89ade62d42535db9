import { describe, expect, it } from 'vitest'
import { describeMoves, type Membership } from '../../../functions/core/membership/membership.ts'
import { readyOf, sampleJoining, sampleOperation } from '../../support/store/samples.ts'

const joining = (memberName: string, progress?: string): Membership =>
  sampleJoining({ memberName, ...(progress === undefined ? {} : { progress }) })
const leaving = (memberName: string, progress: string): Membership => ({
  ...sampleJoining({ memberName, progress }),
  state: 'Leaving',
  operation: sampleOperation('unjoin'),
})
const waiting = (memberName: string): Membership => {
  const { operation: _, ...base } = sampleJoining({ memberName })
  return { ...base, state: 'Waiting' }
}

describe('describeMoves', () => {
  it('says nothing while no member moves', () => {
    expect(describeMoves([readyOf(sampleJoining())])).toBeNull()
  })

  it('names those that move, first those that have to wait, with what for', () => {
    const moving = [joining('a'), joining('b', '2/4 preparing: waiting for a token'), readyOf(sampleJoining())]
    expect(describeMoves(moving)).toBe('2 of 3 members joining: b: 2/4 preparing: waiting for a token; a')
  })

  it('tells joining, leaving and waiting ones apart', () => {
    expect(describeMoves([joining('a'), leaving('b', '2/2 cleaning'), waiting('c')])).toBe(
      '1 of 3 members waiting for the control plane: c; 1 of 3 members joining: a; 1 of 3 members leaving: b: 2/2 cleaning',
    )
  })

  it('counts one member as one', () => {
    expect(describeMoves([joining('a')])).toBe('1 of 1 member joining: a')
  })

  it('stays short however many move', () => {
    const many = Array.from({ length: 40 }, (_, n) => joining(`m${n}`))
    expect(describeMoves(many)).toMatch(/^40 of 40 members joining: m0; .*m9; and 30 more$/)
  })
})
