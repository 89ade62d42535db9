import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    /** Starts the embedded database that all suites share. */
    globalSetup: ['./test/support/global-setup.ts'],
    reporters: ['default', './test/support/reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{unit,contract,flows,infra}/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          // More than the cores: each waits for the database half of the time.
          maxWorkers: 4,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
          pool: 'forks',
          // Clusters that the caller lends are the same for every file; those that a file starts itself are its own.
          fileParallelism: process.env.FEDPLANE_E2E_KUBECONFIG === undefined,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'deploy',
          include: ['test/deploy/**/*.deploy.ts'],
          pool: 'forks',
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
