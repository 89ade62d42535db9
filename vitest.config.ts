import { defineConfig } from 'vitest/config'

/**
 * Whole lives of control planes and clusters over simulated ones, flows, servers and databases that are killed, and logins: minutes of them, so that
 * `npm test` leaves them to `npm run test:simulated`.
 */
const SIMULATED = [
  'test/contract/canary/canary.test.ts',
  'test/contract/cli/contexts.test.ts',
  'test/contract/cli/created-host.test.ts',
  'test/contract/cli/elsewhere.test.ts',
  'test/contract/drivers/capi.test.ts',
  'test/contract/drivers/capi/**/*.test.ts',
  'test/contract/drivers/karmada.test.ts',
  'test/contract/drivers/karmada/**/*.test.ts',
  'test/contract/magnum/10-terraform.test.ts',
  'test/contract/identity/*.test.ts',
  'test/contract/local/events-survive.test.ts',
  'test/contract/local/hooks.test.ts',
  'test/contract/local/revocation-survival.test.ts',
  'test/contract/local/survival.test.ts',
  'test/flows/cloud-run-again.test.ts',
  'test/flows/cluster-run-again.test.ts',
  'test/flows/crash-points.test.ts',
  'test/flows/grants-noninterference.test.ts',
  'test/flows/grants-simulated.test.ts',
  'test/flows/health-policy.test.ts',
  'test/flows/health-reported.test.ts',
  'test/flows/karmada-outage.test.ts',
  'test/flows/karmada.test.ts',
  'test/flows/no-access.test.ts',
  'test/flows/platform-faults.test.ts',
  'test/flows/run-again.test.ts',
  'test/flows/selectors.test.ts',
  'test/flows/table-writer.test.ts',
  'test/unit/identity/directory.test.ts',
  'test/unit/local/hostile-sweep.test.ts',
]

export default defineConfig({
  test: {
    reporters: ['default', './test/support/reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{unit,contract,flows}/**/*.test.ts', 'simulated-kubernetes/test/*.test.ts'],
          exclude: SIMULATED,
          pool: 'threads',
          isolate: false,
          maxWorkers: 4,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Templates and bundles: each file needs CDK or esbuild, which few workers load less often.
        test: {
          name: 'infra',
          include: ['test/infra/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'simulated',
          include: SIMULATED,
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
          pool: 'forks',
          // Clusters that the caller lends are the same for every file; those that a file starts itself are its own.
          fileParallelism: process.env.FEDPLANE_E2E_KUBECONFIG === undefined,
          // Far bounds: each wait is on a condition, and a busy machine of two cores needs many times an idle one's time.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // Of tests that say that they are concurrent: they wait for machines, mostly for pauses of Cluster API that nothing shortens.
          maxConcurrency: 12,
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
