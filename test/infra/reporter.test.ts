import { describe, expect, it } from 'vitest'
import { countResults } from '../support/reporter.ts'

const moduleOf = (
  states: readonly string[],
  errors: readonly unknown[] = [],
  suiteErrors: readonly unknown[] = [],
) => ({
  errors: () => [...errors] as never[],
  children: {
    allTests: () => states.map((state) => ({ result: () => ({ state }) })),
    allSuites: () => [{ errors: () => suiteErrors }],
  },
})

describe('countResults', () => {
  it('counts tests of all modules by their result', () => {
    expect(countResults([moduleOf(['passed', 'failed']), moduleOf(['passed', 'skipped'])], [])).toEqual({
      passed: 2,
      failed: 1,
      skipped: 1,
    })
  })

  it.each([
    ['a module that does not load', moduleOf([], ['boom']), []],
    ['a suite whose hook fails', moduleOf(['skipped'], [], ['boom']), []],
    ['an error that no test owns', moduleOf(['passed']), ['boom']],
  ])('counts %s as failed', (_, module, unhandled) => {
    expect(countResults([module], unhandled).failed).toBe(1)
  })
})
