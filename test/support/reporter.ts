import type { Reporter, TestModule } from 'vitest/node'

export type Counts = { passed: number; failed: number; skipped: number }

type Tally = Pick<TestModule, 'errors'> & {
  children: {
    allTests(): Iterable<{ result(): { state: string } }>
    allSuites(): Iterable<{ errors(): readonly unknown[] }>
  }
}

/** A module or suite that broke outside of a test (at load, or in a hook) counts as one failure for itself. */
const brokenIn = (module: Tally): number =>
  [module, ...module.children.allSuites()].filter((part) => part.errors().length > 0).length

/** Counts tests by result; what broke outside of a test, and errors that no test owns, count as failed. */
export const countResults = (modules: readonly Tally[], unhandledErrors: readonly unknown[]): Counts => {
  const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
  const count = (state: string): number => states.filter((it) => it === state).length
  const broken = modules.reduce((sum, module) => sum + brokenIn(module), unhandledErrors.length)
  return { passed: count('passed'), failed: count('failed') + broken, skipped: count('skipped') + count('pending') }
}

/** Closes a run with the plain line `N passed, N failed`, which `.ci/run` adds up. Colours and prefixes would hide it. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const { passed, failed, skipped } = countResults(modules, unhandledErrors)
    if (skipped > 0) process.stdout.write(`${skipped} skipped\n`)
    process.stdout.write(`${passed} passed, ${failed} failed\n`)
  }
}
