import { describe, expect, it } from 'vitest'
import { newUuidV7 } from '../../../functions/core/ids.ts'
import { isUuid, shortId } from '../../../functions/core/values/ids.ts'
import { manualClock } from '../../support/store/contract-subject.ts'

const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

describe('newUuidV7', () => {
  it('is a lower-case UUID of version 7 and variant 2 that begins with the time', () => {
    const clock = manualClock()
    const id = newUuidV7(clock)
    expect(isUuid(id)).toBe(true)
    expect(id).toMatch(/^.{14}7.{4}[89ab]/)
    expect(timeOf(id)).toBe(clock.now().getTime())
  })

  it('rises within one millisecond, even after more ids than the counter holds', () => {
    const clock = manualClock()
    const ids = Array.from({ length: 10_000 }, () => newUuidV7(clock))
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids).size).toBe(10_000)
    expect(timeOf(ids.at(-1)!) - clock.now().getTime()).toBeLessThan(5)
  })

  it('rises when the clock moves on, and when it goes back', () => {
    const clock = manualClock()
    const ids = [0, 5, 1, -3600_000, 1, 7200_000].map((step) => {
      clock.advance(step)
      return newUuidV7(clock)
    })
    expect([...ids].sort()).toEqual(ids)
    expect(timeOf(ids.at(-1)!)).toBe(clock.now().getTime())
  })

  it('of two clocks do not disturb each other', () => {
    const late = manualClock('2030-01-01T00:00:00.000Z')
    const early = manualClock('2020-01-01T00:00:00.000Z')
    newUuidV7(late)
    expect(timeOf(newUuidV7(early))).toBe(early.now().getTime())
  })

  it('ends in random digits, so that short ids of one moment differ', () => {
    const clock = manualClock()
    expect(new Set(Array.from({ length: 1000 }, () => shortId(newUuidV7(clock)))).size).toBe(1000)
  })
})
