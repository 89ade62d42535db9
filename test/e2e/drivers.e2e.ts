import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import { clusterProfileDriver } from '../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { inventoryNamespace } from '../../functions/drivers/federation/clusterprofile/v1/schema.ts'
import type { ClusterSet } from '../../local/clusters/take-clusters.ts'
import { describeClusterDriver } from '../contract/drivers/cluster-suite.ts'
import { describeFederationDriver } from '../contract/drivers/federation-suite.ts'
import { checkInventory } from '../contract/drivers/inventory-conformance.ts'
import { externalLab } from '../support/drivers/external-lab.ts'
import { kubernetesLab } from '../support/drivers/federation-lab.ts'
import { FederationLife } from '../support/drivers/federation-life.ts'
import { connect, type TestCluster, testCluster } from '../support/drivers/test-cluster.ts'
import { startTestClusters, takeClusters } from './support/clusters.ts'

let set: ClusterSet
let clusters: TestCluster[] = []

beforeAll(async () => {
  set = await takeClusters(3)
  clusters = await Promise.all(
    set.clusters.map((cluster) => testCluster(cluster.name, cluster.kubeconfig, cluster.context)),
  )
})
afterAll(async () => {
  for (const cluster of clusters) cluster.close()
  await set.close()
})

const three = (): [TestCluster, TestCluster, TestCluster] => {
  const [host, first, second] = clusters
  if (host === undefined || first === undefined || second === undefined) throw new Error('three clusters are needed')
  return [host, first, second]
}

describeFederationDriver(clusterProfileDriver(), {
  open: async () => {
    const [host, first, second] = three()
    return { ...kubernetesLab(host, [first, second]), close: async () => undefined }
  },
  properties: () => ({ 'member-role': 'edit', 'consumer-namespaces': 'default' }),
  killEvery: 4,
})

describeClusterDriver(externalV1, {
  open: async () => {
    const own = await startTestClusters(1)
    const [cluster] = own.clusters
    const close = (): Promise<void> => own.close()
    return { ...externalLab(cluster?.kubeconfig ?? '', close), close }
  },
})

describe('the inventory on a real API server', () => {
  it('passes the ten conformance checks', async () => {
    const [host, member] = three()
    const fed = new FederationLife({ driver: clusterProfileDriver(), host: () => host.access(), connect })
    await fed.create()
    await fed.join(() => member.access())
    const checks = await checkInventory(host.admin, inventoryNamespace(fed.federation.id), 'fedplane')
    expect(checks.filter(({ passed }) => !passed)).toEqual([])
    await fed.unjoin(() => member.access())
    await fed.delete()
  })
})
