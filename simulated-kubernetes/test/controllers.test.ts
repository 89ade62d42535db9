import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubernetesObject, Resource } from '../../functions/kubernetes/client.ts'
import { ConnectFailed } from '../../functions/kubernetes/errors.ts'
import { connect, type TestCluster, testCluster } from '../../test/support/drivers/test-cluster.ts'
import type { PodFate } from '../behaviour.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../start.ts'

const core = (plural: string): Resource => ({ group: '', version: 'v1', plural, namespace: 'team' })
const apps = (plural: string): Resource => ({ group: 'apps', version: 'v1', plural, namespace: 'team' })
const NAMESPACES: Resource = { group: '', version: 'v1', plural: 'namespaces' }

const workload = (kind: 'Deployment' | 'StatefulSet', name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: 'team' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'it', image: 'example.test/it:1' }] },
    },
    ...more,
  },
})

const claims = [
  {
    metadata: { name: 'disk' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
]

const FATES: Readonly<Record<string, PodFate>> = {
  broken: { fate: 'waiting', reason: 'ImagePullBackOff', message: 'no such image' },
  refused: { fate: 'refused', message: 'exceeded quota' },
}

/** A busy machine takes its time. */
const soon = <T>(look: () => T) => expect.poll(look, { timeout: 15_000 })

describe('controllers of the simulated Kubernetes API', () => {
  let server: SimulatedKubernetes
  let cluster: TestCluster
  beforeAll(async () => {
    server = await startSimulatedKubernetes({
      podFate: ({ metadata }) => FATES[metadata.name] ?? { fate: 'ready' },
      balancerAddress: ({ metadata }) => (metadata.name === 'never' ? undefined : { hostname: 'lb.example.test' }),
    })
    cluster = await testCluster('it', server.kubeconfig)
    await cluster.admin.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } })
  })
  afterAll(async () => {
    cluster.close()
    await server.close()
  })

  const statusOf = async (resource: Resource, name: string): Promise<unknown> =>
    (await cluster.admin.get(resource, name))?.status
  const podsOf = async (app: string) => (await cluster.admin.list(core('pods'), { labelSelector: `app=${app}` })).items

  it('make the pods of a Deployment, and take them away with it', async () => {
    await cluster.admin.create(apps('deployments'), workload('Deployment', 'web'))
    await soon(() => statusOf(apps('deployments'), 'web')).toMatchObject({
      observedGeneration: 1,
      availableReplicas: 2,
    })
    expect(await podsOf('web')).toHaveLength(2)
    await cluster.admin.patch(apps('deployments'), 'web', {
      spec: { template: { metadata: { labels: { round: '2' } } } },
    })
    await soon(() => statusOf(apps('deployments'), 'web')).toMatchObject({
      observedGeneration: 2,
      replicas: 2,
      updatedReplicas: 2,
      availableReplicas: 2,
    })
    await cluster.admin.delete(apps('deployments'), 'web')
    await soon(() => podsOf('web')).toEqual([])
  })

  it('tell why pods are not ready', async () => {
    await cluster.admin.create(apps('deployments'), workload('Deployment', 'broken'))
    await soon(async () => (await podsOf('broken'))[0]?.status).toMatchObject({
      containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }],
    })
    await cluster.admin.create(apps('deployments'), workload('Deployment', 'refused'))
    await soon(() => statusOf(apps('deployments'), 'refused')).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'ReplicaFailure', message: 'exceeded quota' }),
      ]),
    })
    expect(await podsOf('refused')).toEqual([])
  })

  it('give the pods of a StatefulSet volumes, which outlive it', async () => {
    const set = workload('StatefulSet', 'data', { serviceName: 'data', volumeClaimTemplates: claims })
    await cluster.admin.create(apps('statefulsets'), set)
    await soon(() => statusOf(apps('statefulsets'), 'data')).toMatchObject({ readyReplicas: 2 })
    await cluster.admin.delete(apps('statefulsets'), 'data')
    await soon(() => podsOf('data')).toEqual([])
    const { items } = await cluster.admin.list(core('persistentvolumeclaims'))
    expect(items.map(({ metadata, status }) => [metadata.name, (status as { phase: string }).phase])).toEqual([
      ['disk-data-0', 'Bound'],
      ['disk-data-1', 'Bound'],
    ])
    await cluster.admin.delete(core('persistentvolumeclaims'), 'disk-data-0')
    await soon(() => cluster.admin.get(core('persistentvolumeclaims'), 'disk-data-0')).toBeUndefined()
  })

  it('give a load balancer what was said, or nothing', async () => {
    const spec = { type: 'LoadBalancer', ports: [{ port: 443 }] }
    for (const name of ['named', 'never']) {
      await cluster.admin.create(core('services'), {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace: 'team' },
        spec,
      })
    }
    await soon(() => statusOf(core('services'), 'named')).toEqual({
      loadBalancer: { ingress: [{ hostname: 'lb.example.test' }] },
    })
    expect(await statusOf(core('services'), 'never')).toEqual({ loadBalancer: {} })
  })

  it('hold a namespace as long as something blocks it', async () => {
    server.behaviour.namespaceBlocker = (name) => (name === 'held' ? 'pods remain' : undefined)
    await cluster.admin.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'held' } })
    await cluster.admin.delete(NAMESPACES, 'held')
    await soon(() => statusOf(NAMESPACES, 'held')).toMatchObject({
      conditions: [{ type: 'NamespaceContentRemaining', message: 'pods remain' }],
    })
    server.behaviour.namespaceBlocker = () => undefined
    server.refresh()
    await soon(() => cluster.admin.get(NAMESPACES, 'held')).toBeUndefined()
  })

  it('forward to the port that stands for that of a pod, and refuse others', async () => {
    await cluster.admin.create(apps('deployments'), workload('Deployment', 'target', { replicas: 1 }))
    await soon(() => statusOf(apps('deployments'), 'target')).toMatchObject({ availableReplicas: 1 })
    const [pod] = await podsOf('target')
    server.behaviour.podPort = (_, port) => (port === 8443 ? Number(new URL(server.server).port) : undefined)
    const to = (port: number) => ({ namespace: 'team', pod: pod?.metadata.name ?? '', port })
    const through = connect({ ...cluster.connection, dial: () => cluster.admin.forward(to(8443)) })
    expect(await through.raw('/readyz')).toEqual({ status: 200, body: 'ok' })
    through.close()
    const refused = await cluster.admin.forward(to(1))
    await expect(new Promise((_, reject) => refused.on('error', reject))).rejects.toBeInstanceOf(ConnectFailed)
  })
})
