import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Cluster, ClusterObservation } from '../../../../functions/core/cluster/cluster.ts'
import { statusOf } from '../../../../functions/drivers/federation/clusterprofile/v1/host/content.ts'
import { clusterProfileDriver } from '../../../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { profiles } from '../../../../functions/drivers/federation/clusterprofile/v1/names.ts'
import { inventoryNamespace } from '../../../../functions/drivers/federation/clusterprofile/v1/schema.ts'
import { ClusterIdentityChanged } from '../../../../functions/kubernetes/errors.ts'
import { namespaces } from '../../../../functions/kubernetes/resources.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../../simulated-kubernetes/start.ts'
import { CallBudget } from '../../../support/drivers/call-budget.ts'
import { FederationLife } from '../../../support/drivers/federation-life.ts'
import { type Gate, openGate } from '../../../support/drivers/gate.ts'
import { labelled } from '../../../support/drivers/objects.ts'
import { connect, type TestCluster, testCluster, unreachable } from '../../../support/drivers/test-cluster.ts'

const VERSION = 'v1.36.0+simulated'
const observed = (api: string): ClusterObservation => ({
  observedAt: new Date().toISOString(),
  healthStatus: api === 'ok' ? 'HEALTHY' : 'UNHEALTHY',
  healthReason: { api },
  version: VERSION,
  nodeCount: 1,
  masterCount: 1,
})

describe('refreshMember of clusterprofile@1', () => {
  let servers: SimulatedKubernetes[] = []
  let host: TestCluster
  let paris: TestCluster
  let gate: Gate
  let fed: FederationLife
  /** ISO-8601 UTC: a second later at each refresh, since the API keeps whole seconds. */
  let now = Date.parse('2026-11-27T10:00:00Z')
  const budget = new CallBudget()
  const toHost = () => host.access(budget)
  const toParis = () => paris.access()

  const context = (observation: ClusterObservation, access = toParis()) => ({
    ...fed.memberContext(toParis),
    member: { ...access, cluster: { ...access.cluster, observation } satisfies Cluster },
    now: () => new Date(now).toISOString(),
  })
  const refresh = (api: string, access = toParis()) => {
    now += 1000
    budget.reset()
    return fed.driver.refreshMember?.(context(observed(api), access))
  }
  const short = () => fed.federation.id.replaceAll('-', '').slice(-10)
  const places = (): [string, string][] => [
    [inventoryNamespace(fed.federation.id), 'paris'],
    ['argocd', `paris-${short()}`],
  ]
  /** What both profiles say, which is the same. */
  const said = async () => {
    const [inventory, copy] = await Promise.all(
      places().map(async ([namespace, name]) => statusOf(await host.admin.get(profiles('v1alpha1', namespace), name))),
    )
    expect(copy).toMatchObject({ conditions: inventory?.conditions, properties: inventory?.properties })
    const [health, joined] = inventory?.conditions ?? []
    return { health, joined, version: inventory?.version?.kubernetes, properties: inventory?.properties }
  }

  beforeAll(async () => {
    servers = await Promise.all([startSimulatedKubernetes(), startSimulatedKubernetes()])
    const [atHost, atParis] = servers
    gate = await openGate(atParis!.server)
    host = await testCluster('host', atHost!.kubeconfig)
    paris = await testCluster('paris', atParis!.kubeconfig.replace(atParis!.server, gate.server))
    await host.admin.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } })
    const properties = { 'consumer-namespaces': 'argocd' }
    fed = new FederationLife({ driver: clusterProfileDriver(), host: toHost, connect, properties })
    await fed.create()
    await fed.join(toParis)
  })
  beforeEach(async () => {
    await refresh('ok')
  })
  afterAll(async () => {
    for (const cluster of [host, paris]) cluster.close()
    await gate.shut()
    await Promise.all(servers.map((server) => server.close()))
  })

  it('says Unknown with the reason while the member is stopped, then True again; lastTransitionTime moves with the status only', async () => {
    const before = await said()
    expect(before.health).toMatchObject({ status: 'True', reason: 'HealthCheckSucceeded' })
    await gate.shut()
    expect(await refresh('connection refused')).toMatchObject({ done: true })
    expect(budget.writes).toHaveLength(2)
    const stopped = await said()
    expect(stopped.health).toMatchObject({ status: 'Unknown', reason: 'ConnectFailed' })
    expect(stopped.health?.lastTransitionTime).toBe(new Date(now).toISOString().replace('.000Z', 'Z'))
    expect(stopped).toEqual({ ...before, health: stopped.health })

    await refresh('connection refused')
    expect(budget.writes).toEqual([])
    expect(await said()).toEqual(stopped)

    await gate.open()
    await refresh('ok')
    const back = await said()
    expect(back.health).toMatchObject({ status: 'True', reason: 'HealthCheckSucceeded' })
    expect(back.health?.lastTransitionTime).toBe(new Date(now).toISOString().replace('.000Z', 'Z'))
  })

  it('says False for an API server that is not ready', async () => {
    const client = { ...paris.admin, raw: async () => ({ status: 500, body: '[-]etcd failed' }) }
    await refresh('GET /readyz answers 500', { ...toParis(), client: async () => client })
    expect((await said()).health).toMatchObject({ status: 'False', reason: 'HealthCheckFailed' })
  })

  it('keeps the properties and the version of a member that can not be checked', async () => {
    const path = profiles('v1alpha1', inventoryNamespace(fed.federation.id))
    const profile = await host.admin.get(path, 'paris')
    const properties = [...statusOf(profile).properties, { name: 'region', value: 'west' }]
    const status = { ...statusOf(profile), properties }
    const { apiVersion, kind } = profile!
    const metadata = { name: 'paris', namespace: path.namespace! }
    const owner = { fieldManager: 'fedplane-status', subresource: 'status' } as const
    await host.admin.apply(path, { apiVersion, kind, metadata, status }, owner)
    await gate.shut()
    await refresh('connection refused')
    await gate.open()
    const kept = await said()
    expect(kept.properties).toContainEqual({ name: 'region', value: 'west' })
    expect(kept.version).toBe(VERSION)
    await refresh('ok')
    expect((await said()).properties).toEqual([{ name: 'fedplane.io/cluster', value: paris.cluster.id }])
  })

  it('writes nothing when one observation of its own sees otherwise than was observed', async () => {
    const before = await said()
    expect(await refresh('connection refused')).toMatchObject({ done: false, waitingFor: expect.any(String) })
    await gate.shut()
    expect(await refresh('ok')).toMatchObject({ done: false })
    await gate.open()
    expect(await said()).toEqual(before)
  })

  it('tells of a fault that does not pass by itself, though the API answers', async () => {
    const other = new ClusterIdentityChanged('Another cluster answers.')
    expect(await refresh('ok', unreachable(paris.cluster, other))).toMatchObject({ done: true })
    expect((await said()).health).toMatchObject({ status: 'Unknown', reason: 'ClusterIdentityChanged' })
  })

  it('leaves the health that is published to the sweep when the member is registered again', async () => {
    const before = await said()
    await gate.shut()
    await fed.register(toParis)
    await gate.open()
    expect((await said()).health).toEqual(before.health)
  })

  it('makes nothing of a member that has left, nor changes what is not ours', async () => {
    const [inventory] = places()[0]!
    const [, copy] = places()
    await host.admin.delete(profiles('v1alpha1', copy![0]), copy![1])
    await host.admin.patch(profiles('v1alpha1', inventory), 'paris', {
      metadata: { labels: { 'fedplane.io/federation': 'other' } },
    })
    expect(await refresh('connection refused')).toMatchObject({ done: true })
    expect(budget.writes).toEqual([])
    await host.admin.patch(profiles('v1alpha1', inventory), 'paris', {
      metadata: { labels: { 'fedplane.io/federation': fed.federation.id } },
    })
    const leaving = context(observed('ok'))
    await fed.unjoin(toParis)
    budget.reset()
    expect(await fed.driver.refreshMember?.(leaving)).toMatchObject({ done: true })
    expect(budget.writes).toEqual([])
    await fed.delete()
    expect(await labelled(host.admin, fed.federation.id)).toEqual([])
  })
})
