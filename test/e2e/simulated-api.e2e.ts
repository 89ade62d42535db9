import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseKubeconfig } from '../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import type { ClusterSet, DemoCluster } from '../../local/clusters/take-clusters.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { type Memory, type Subject, statusView } from '../../simulated-kubernetes/test/call.ts'
import { CALLS, CLEANUP_CALLS } from '../../simulated-kubernetes/test/calls.ts'
import { runCall } from '../../simulated-kubernetes/test/run-call.ts'
import { takeClusters } from './support/clusters.ts'

const subjectOf = ({ kubeconfig, context }: DemoCluster): Subject => {
  const { endpoint, credential } = parseKubeconfig(kubeconfig, { context, now: new Date() })
  const admin =
    credential.kind === 'token'
      ? { token: credential.token.reveal() }
      : { certificatePem: credential.certificatePem, keyPem: credential.keyPem.reveal() }
  return { server: endpoint.server, caPem: endpoint.caPem ?? '', admin }
}

describe('the simulated Kubernetes API answers as a real one', () => {
  /** Of this run, so that a cluster of yours keeps nothing of an earlier one. */
  const namespace = `fedplane-contract-${randomBytes(3).toString('hex')}`
  const memories: [Memory, Memory] = [new Map(), new Map()]
  let set: ClusterSet
  let simulated: SimulatedKubernetes
  let subjects: [Subject, Subject]

  beforeAll(async () => {
    set = await takeClusters(1)
    simulated = await startSimulatedKubernetes()
    const { server, caPem, token } = simulated
    subjects = [subjectOf(set.clusters[0]!), { server, caPem, admin: { token } }]
  })
  afterAll(async () => {
    await simulated?.close()
    await set?.close()
  })

  for (const call of [...CALLS, ...CLEANUP_CALLS]) {
    it(call.title, async () => {
      const real = await runCall(call, subjects[0], namespace, memories[0])
      const ours = await runCall(call, subjects[1], namespace, memories[1])
      expect(ours.status).toBe(real.status)
      expect(ours.contentType.split(';')[0]).toBe(real.contentType.split(';')[0])
      expect(statusView(ours.body)).toEqual(statusView(real.body))
    })
  }
})
