import { KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { CASES, type Subject } from './cases.ts'

/** The same cases run against a real API server in `test/e2e/client-node.e2e.ts`. */
describe('client-node, which knows nothing of us, at the simulated Kubernetes API', () => {
  let simulated: SimulatedKubernetes
  let subject: Subject

  beforeAll(async () => {
    simulated = await startSimulatedKubernetes()
    const config = new KubeConfig()
    config.loadFromString(simulated.kubeconfig)
    subject = { config, namespace: 'client-node', isReal: false }
  })
  afterAll(() => simulated.close())

  for (const { title, run } of CASES) it(title, () => run(subject))
})
