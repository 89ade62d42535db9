import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FederationView } from '../../../local/demo/api.ts'
import { deleteFederation, federationPath } from '../support/stories.ts'
import { ask, consumerOf, create, expectAsBefore, type Fleet, openFleet, type Site, seen } from './support/fleet.ts'
import { startBare, startNode } from './support/kube.ts'
import { CONFIG_MAPS, spreadConfig } from './support/workload.ts'

const STATEFUL_SETS = { group: 'apps', version: 'v1', plural: 'statefulsets', namespace: 'federation-system' }

/** One host after the other: each costs a gigabyte. */
describe('karmada@1 on hosts of several kinds', () => {
  let fleet: Fleet
  const opened: { close(): Promise<void> }[] = []

  beforeAll(async () => {
    fleet = await openFleet()
  })
  afterAll(() => fleet?.close(), 60_000)

  /** Creates, joins, spreads a ConfigMap through `consumer` or the endpoint, deletes; the host ends as it was. */
  const whole = async (
    host: Site,
    properties: Record<string, string>,
    look?: (view: FederationView) => Promise<void>,
  ) => {
    const member = await fleet.add(startBare(`member-of-${host.view.name}`))
    const federation = await create(fleet.api, { name: host.view.name, host, properties, members: [member] })
    expect(federation.members).toMatchObject([{ state: 'Ready' }])
    await look?.(federation)
    await deleteFederation(fleet.api, federation.uuid)
    await expectAsBefore(host)
    await expectAsBefore(member, [/^configmaps default\/told/])
    await Promise.all([host.cluster.close(), member.cluster.close()])
    return member
  }

  const spreads = async ({ uuid }: FederationView): Promise<void> => {
    const consumer = await consumerOf(fleet.api, uuid)
    opened.push({ close: async () => consumer.close() })
    await spreadConfig(consumer, 'told')
    await seen(consumer, [CONFIG_MAPS, 'told'])
  }

  it('runs three etcd members and three API servers', { timeout: 400_000 }, async () => {
    const host = await fleet.add(startNode('three'))
    await whole(host, { replicas: '3' }, async (federation) => {
      const etcd = await host.admin.get(STATEFUL_SETS, 'etcd')
      expect(etcd?.status).toMatchObject({ readyReplicas: 3 })
      await spreads(federation)
    })
  })

  it('meets PodSecurity restricted', { timeout: 300_000 }, async () => {
    await whole(await fleet.add(startNode('restricted', { podSecurity: 'restricted' })), {}, spreads)
  })

  it('is exposed on a node port where there are no load balancers', { timeout: 300_000 }, async () => {
    const host = await fleet.add(startNode('node-port', { noBalancers: true }))
    await whole(host, { 'api-service-type': 'NodePort' }, spreads)
  })

  it("works through the host's API when its endpoint leads nowhere from here", { timeout: 300_000 }, async () => {
    const host = await fleet.add(startNode('cluster-ip', { noBalancers: true }))
    const endpoint = 'https://karmada.fedplane.invalid:5443'
    await whole(host, { 'api-service-type': 'ClusterIP', 'api-endpoint': endpoint }, async (federation) => {
      expect(federation.endpoint).toBe(endpoint)
    })
  })

  it('says at once that the host has no storage, and leaves nothing', { timeout: 120_000 }, async () => {
    const host = await fleet.add(startNode('no-volumes', { noVolumes: true }))
    const refused = await ask(fleet.api, { name: 'no-volumes', host }).then(
      (id) => fleet.api.settled<FederationView>(federationPath(id), 'CREATE_FAILED'),
      (error: Error) => ({ uuid: undefined, status_reason: error.message }),
    )
    expect(refused.status_reason).toMatch(/StorageClass/)
    if (refused.uuid !== undefined) await deleteFederation(fleet.api, refused.uuid)
    await expectAsBefore(host)
  })
})
