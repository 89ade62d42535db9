import { defineConfig } from 'vitest/config'

const fast = ['test/{unit,contract,flows,infra}/**/*.test.ts']
/** Files that replace modules, so that they can't share a process with others. */
const isolated = ['test/**/*.isolated.test.ts']

export default defineConfig({
  test: {
    /** Starts the embedded database that all suites share. */
    globalSetup: ['./test/support/global-setup.ts'],
    reporters: ['default', './test/support/reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: fast,
          exclude: isolated,
          pool: 'threads',
          isolate: false,
          testTimeout: 20_000,
        },
      },
      { test: { name: 'isolated', include: isolated, testTimeout: 20_000 } },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
          pool: 'forks',
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
