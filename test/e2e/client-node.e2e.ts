import { randomBytes } from 'node:crypto'
import { KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { ClusterSet } from '../../local/clusters/take-clusters.ts'
import { CASES, cleanUp, type Subject } from '../contract/client-node/cases.ts'
import { takeClusters } from './support/clusters.ts'

describe('client-node at a real API server does what it does at the simulated one', () => {
  let set: ClusterSet
  let subject: Subject

  beforeAll(async () => {
    set = await takeClusters(1)
    const [cluster] = set.clusters
    const config = new KubeConfig()
    config.loadFromString(cluster!.kubeconfig)
    config.setCurrentContext(cluster!.context)
    subject = { config, namespace: `client-node-${randomBytes(3).toString('hex')}`, isReal: true }
  })
  afterAll(async () => {
    if (subject) await cleanUp(subject)
    await set?.close()
  })

  for (const { title, run } of CASES) it(title, () => run(subject))
})
