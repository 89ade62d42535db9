import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { billOf, dollars, waiting } from '../../cost/bill.ts'
import { nothing } from '../../cost/counts.ts'
import { REPORT_FILE, readCounts } from '../../cost/files.ts'
import { PRICES } from '../../cost/prices.ts'
import { reportOf } from '../../cost/report.ts'

describe('docs/cost.md', () => {
  it('is what the stored counts and the prices give (npm run cost -- --prices writes it)', async () => {
    expect(await readFile(REPORT_FILE, 'utf8')).toBe(reportOf(await readCounts()))
  })

  it('shows every price', async () => {
    const text = await readFile(REPORT_FILE, 'utf8')
    expect(Object.values(PRICES).filter(({ what }) => !text.includes(`| ${what} |`))).toEqual([])
  })
})

describe('billOf', () => {
  it('takes a request for a call of the gateway, the authorizer and a function', () => {
    const bill = billOf({ ...nothing(), requests: 1e6 })
    expect(bill.api).toBeCloseTo(1)
    // Two calls of a million each, and 20 ms of the authorizer with half a GB.
    expect(bill.functions).toBeCloseTo(2 * 0.2 + 1e6 * 0.02 * 0.5 * 0.0000133334)
  })

  it('adds up transitions, units and keys', () => {
    expect(dollars({ ...nothing(), transitions: 40 })).toBeCloseTo(0.001)
    expect(billOf({ ...nothing(), readUnits: 1e6, writeUnits: 1e6 }).table).toBeCloseTo(0.75)
    expect(billOf({ ...nothing(), kmsCalls: 10_000 }).rest).toBeCloseTo(0.03)
  })

  it('counts three transitions for each 15 s of waiting', () => {
    expect(waiting(90)).toMatchObject({ transitions: 18, invocations: 6 })
    expect(waiting(0)).toEqual(nothing())
  })
})

describe('the counts', () => {
  it('keep the goals of the design: 15 transitions for a join, 40 for a federation with its waits', async () => {
    const { scenarios } = await readCounts()
    expect(scenarios.join.transitions).toBeLessThanOrEqual(15)
    expect(scenarios.joinKarmada.transitions).toBeLessThanOrEqual(15)
    expect(scenarios.createKarmada.transitions + waiting(90).transitions).toBeLessThanOrEqual(40)
  })
})
