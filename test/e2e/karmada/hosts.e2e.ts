import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'
import type { FederationView } from '../../support/api/api.ts'
import { deleteFederation, federationPath } from '../support/stories.ts'
import {
  ask,
  consumerOf,
  consumerThrough,
  create,
  expectAsBefore,
  type Fleet,
  openFleet,
  type Site,
  seen,
} from './support/fleet.ts'
import { startBare, startNode } from './support/kube.ts'
import { CONFIG_MAPS, spreadConfig } from './support/workload.ts'

const STATEFUL_SETS = { group: 'apps', version: 'v1', plural: 'statefulsets', namespace: 'federation-system' }

const STORAGE_CLASSES = { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses' }

/** One host after the other: each costs a gigabyte. */
describe('karmada@1 on hosts of several kinds', () => {
  let fleet: Fleet
  beforeAll(async () => {
    fleet = await openFleet()
  })
  afterAll(() => fleet?.close(), 240_000)

  type Look = (federation: FederationView, member: Site) => Promise<void>

  /** Creates, joins, looks, deletes; host and member end as they were. */
  const whole = async (host: Site, properties: Record<string, string>, look: Look): Promise<void> => {
    const member = await fleet.add(startBare(`member-of-${host.view.name}`))
    const federation = await create(fleet.api, { name: host.view.name, host, properties, members: [member] })
    expect(federation.members).toMatchObject([{ state: 'Ready' }])
    await look(federation, member)
    await deleteFederation(fleet.api, federation.uuid)
    await expectAsBefore(host)
    await expectAsBefore(member, [/^configmaps default\/told/])
    await Promise.all([host.cluster.close(), member.cluster.close()])
  }

  const spreadsTo = async (member: Site, consumer: KubernetesClient): Promise<void> => {
    await spreadConfig(consumer, 'told')
    expect((await seen(member.admin, [CONFIG_MAPS, 'told'])).data).toEqual({ said: 'by the federation' })
    consumer.close()
  }

  const spreads: Look = async ({ uuid }, member) => spreadsTo(member, await consumerOf(fleet.api, uuid))

  it('runs three etcd members and three API servers', { timeout: 400_000 }, async () => {
    const host = await fleet.add(startNode('three'))
    await whole(host, { replicas: '3' }, async (federation, member) => {
      const etcd = await host.admin.get(STATEFUL_SETS, 'etcd')
      expect(etcd?.status).toMatchObject({ readyReplicas: 3 })
      await spreads(federation, member)
    })
  })

  it('meets PodSecurity restricted', async () => {
    await whole(await fleet.add(startNode('restricted', { podSecurity: 'restricted' })), {}, spreads)
  })

  it('is exposed on a node port where there are no load balancers', async () => {
    const host = await fleet.add(startNode('node-port', { noBalancers: true }))
    await whole(host, { 'api-service-type': 'NodePort' }, spreads)
  })

  it("works through the host's API when its endpoint leads nowhere from here", async () => {
    const host = await fleet.add(startNode('cluster-ip', { noBalancers: true }))
    const endpoint = 'https://karmada.fedplane.invalid:5443'
    await whole(host, { 'api-service-type': 'ClusterIP', 'api-endpoint': endpoint }, async (federation, member) => {
      expect(federation.endpoint).toBe(endpoint)
      await spreadsTo(member, await consumerThrough(fleet.api, federation.uuid, host))
    })
  })

  it('says at once that the host has no storage', async () => {
    const host = await fleet.add(startNode('no-class'))
    const { items } = await host.admin.list(STORAGE_CLASSES)
    for (const { metadata } of items) await host.admin.delete(STORAGE_CLASSES, metadata.name)
    const id = await ask(fleet.api, { name: 'no-class', host })
    const failed = await fleet.api.settled<FederationView>(federationPath(id), 'CREATE_FAILED')
    expect(failed.status_reason).toMatch(/no default StorageClass .*install a provisioner/)
    await deleteFederation(fleet.api, id)
    await expectAsBefore(host)
    await host.cluster.close()
  })

  it('says what etcd waits for while nobody provides volumes, and can be deleted meanwhile', {
    timeout: 180_000,
  }, async () => {
    const host = await fleet.add(startNode('no-volumes', { noVolumes: true }))
    const id = await ask(fleet.api, { name: 'no-volumes', host })
    const waiting = await fleet.api.until(
      () => fleet.api.get<FederationView>(federationPath(id)),
      ({ status, status_reason }) => status !== 'CREATE_IN_PROGRESS' || /volume|claim/i.test(status_reason ?? ''),
    )
    expect(waiting).toMatchObject({ status: 'CREATE_IN_PROGRESS', status_reason: expect.stringMatching(/etcd/) })
    await deleteFederation(fleet.api, id)
    await expectAsBefore(host)
  })
})
