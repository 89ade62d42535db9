import { describe, expect, it } from 'vitest'
import { longestSilenceSeconds, WORKERS } from '../../../functions/core/values/workers.ts'

const NOW = new Date('2026-11-28T10:10:00.000Z')
const at = (time: string): string => `2026-11-28T${time}.000Z`

const report = (host: string, updatedAt: string, createdAt = at('09:00:00')) => ({ host, createdAt, updatedAt })

describe('longestSilenceSeconds', () => {
  it('is that of the worker that reported last of all', () => {
    const reports = WORKERS.map((host, index) => report(host, at(`10:0${9 - index}:00`)))
    expect(longestSilenceSeconds(reports, NOW)).toBe(60 * WORKERS.length)
  })

  it('counts one that never reported from the first report of any', () => {
    const reports = [report('reconciler', at('10:09:30'), at('10:00:00')), report('renewals', at('10:09:30'))]
    expect(longestSilenceSeconds(reports, NOW)).toBe(70 * 60)
  })

  it('does not count workers of other versions, and nothing before the first report', () => {
    const reports = WORKERS.map((host) => report(host, at('10:09:30')))
    expect(longestSilenceSeconds([...reports, report('gone', at('09:00:00'))], NOW)).toBe(30)
    expect(longestSilenceSeconds([], NOW)).toBe(0)
  })
})
