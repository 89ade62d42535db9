import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteOwned, ownerLabels, type Site } from '../../../../functions/drivers/support/owned.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { secrets } from '../../../../functions/kubernetes/resources.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../../simulated-kubernetes/start.ts'
import { type TestCluster, testCluster } from '../../../support/drivers/test-cluster.ts'

const OURS = '0192f5a0-0000-7000-8000-000000000001'
const resource = secrets('default')

const secret = (name: string, more: Partial<KubernetesObject['metadata']> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default', labels: ownerLabels(OURS), ...more },
})

describe('deleteOwned', () => {
  let server: SimulatedKubernetes
  let host: TestCluster
  let site: Site
  beforeAll(async () => {
    server = await startSimulatedKubernetes()
    host = await testCluster('host', server.kubeconfig)
    site = { client: host.admin, where: 'host', federationId: OURS }
  })
  afterAll(async () => {
    host.close()
    await server.close()
  })

  it('deletes what is ours', async () => {
    const made = await host.admin.create(resource, secret('ours'))
    expect(await deleteOwned(site, resource, made)).toBe(true)
    expect(await host.admin.get(resource, 'ours')).toBeUndefined()
  })

  it('says that ours is still there while a finalizer holds it', async () => {
    const made = await host.admin.create(resource, secret('held', { finalizers: ['example.org/later'] }))
    expect(await deleteOwned(site, resource, made)).toBe(false)
    await host.admin.patch(resource, 'held', { metadata: { finalizers: [] } })
  })

  it('leaves what somebody else has made under that name since it was seen', async () => {
    const seen = await host.admin.create(resource, secret('again'))
    await host.admin.delete(resource, 'again')
    const theirs = await host.admin.create(resource, secret('again', { labels: { 'made-by': 'somebody-else' } }))
    expect(await deleteOwned(site, resource, seen)).toBe(true)
    expect((await host.admin.get(resource, 'again'))?.metadata.uid).toBe(theirs.metadata.uid)
  })

  it('touches nothing that was not ours when it was seen', async () => {
    const theirs = await host.admin.create(resource, secret('theirs', { labels: {} }))
    expect(await deleteOwned(site, resource, theirs)).toBe(true)
    expect(await host.admin.get(resource, 'theirs')).toBeDefined()
  })
})
