import { afterAll, beforeAll, describe, it } from 'vitest'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../start.ts'
import type { Memory } from './call.ts'
import { CALLS, CLEANUP_CALLS } from './calls.ts'
import { runCall } from './run-call.ts'

/** The same calls run against a real API server in `test/e2e/simulated-api.e2e.ts`. */
describe('the simulated Kubernetes API answers as recorded from kube-apiserver 1.36', () => {
  const memory: Memory = new Map()
  let simulated: SimulatedKubernetes

  beforeAll(async () => {
    simulated = await startSimulatedKubernetes()
  })
  afterAll(() => simulated.close())

  for (const call of [...CALLS, ...CLEANUP_CALLS]) {
    it(call.title, async () => {
      const subject = { server: simulated.server, caPem: simulated.caPem, admin: { token: simulated.token } }
      await runCall(call, subject, 'fedplane-contract', memory)
    })
  }
})
