import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../functions/core/values/identity.ts'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import { clusterProfileV1 } from '../../functions/drivers/federation/clusterprofile/v1/index.ts'
import type { Connect } from '../../functions/kubernetes/client.ts'
import { ConnectFailed } from '../../functions/kubernetes/errors.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { ANA, BEN, openTwoProjects, type TwoProjects } from '../support/flows/two-projects.ts'
import { until } from '../support/local/engine-lab.ts'

/** What a forced unjoin leaves in a lent cluster is known, and removed once the cluster answers again. */

let down = ''
const reaching: Connect = (connection) => {
  if (down !== '' && connection.server.startsWith(down)) throw new ConnectFailed('Nobody answers.')
  return connect(connection)
}

let two: TwoProjects
beforeAll(async () => {
  two = await openTwoProjects({ clusterDriver: externalV1, federationDriver: clusterProfileV1, connect: reaching })
})
afterAll(() => two.dispose())

let [hubServer, edgeServer] = [] as SimulatedKubernetes[]
let [hub, edge, federation] = ['', '', '']
const registered = async (as: Principal, name: string, { kubeconfig }: SimulatedKubernetes): Promise<string> => {
  const { uuid } = (await two.call(as, 'POST', '/v1/clusters', { name, kubeconfig })).body
  await until(async () => (await two.call(as, 'GET', `/v1/clusters/${uuid}`)).body.status === 'CREATE_COMPLETE')
  return uuid
}
beforeEach(async () => {
  down = ''
  const started = await Promise.all([startSimulatedKubernetes(), startSimulatedKubernetes()])
  ;[hubServer, edgeServer] = started
  hub = await registered(ANA, 'hub', started[0])
  edge = await registered(BEN, 'edge', started[1])
  await two.grant(edge, { project_id: 'blue', actions: ['join'], rights: 'view' })
  federation = await two.federation({ hostcluster_id: hub })
  await two.join(federation, edge)
  await two.settled(federation)
})
afterEach(() => Promise.all([hubServer?.close(), edgeServer?.close()]))

/** By force, while the cluster does not answer. */
const left = async (): Promise<void> => {
  down = JSON.parse(edgeServer!.kubeconfig).clusters[0].cluster.server
  expect((await two.call(BEN, 'DELETE', `/v1/clusters/${edge}/federations/${federation}?force=true`)).status).toBe(202)
  const uses = async () => (await two.call(BEN, 'GET', `/v1/clusters/${edge}/federations`)).body.federations
  await until(async () => (await uses()).length === 0)
}
const again = async () => {
  down = ''
  for (let looks = 0; looks < 3; looks += 1) {
    await sweepHealth(two.lab.ports)
    two.lab.clock.advance(300_000)
  }
}
type Row = { kind: string; place: string; left_behind: boolean; rights: string; valid_until: string; object: string }
const rows = async (as: Principal): Promise<Row[]> =>
  (await two.call(as, 'GET', `/v1/credentials/inventory?cluster=${edge}`)).body.credentials.filter(
    (row: Row) => row.left_behind,
  )
const there = (): string[] =>
  ['serviceaccounts', 'secrets', 'namespaces'].flatMap((plural) =>
    edgeServer!.cluster.store
      .list({ group: '', plural })
      .filter(({ metadata }) => metadata.labels?.['fedplane.io/federation'] === federation)
      .map(({ kind }) => kind),
  )
const removedEvents = async () =>
  (await two.call(BEN, 'GET', `/v1/clusters/${edge}/events`)).body.events.filter(
    ({ reason }: { reason: string }) => reason === 'LeftoversRemoved',
  )

describe('what a forced unjoin left', () => {
  it('was in use before: the Secret in the host opens the member, with its rights', async () => {
    const { credentials } = (await two.call(ANA, 'GET', `/v1/credentials/inventory?cluster=${hub}`)).body
    const secrets = credentials.filter(({ kind, place }: Row) => kind === 'secret' && place === 'host')
    expect(secrets.map(({ rights, left_behind }: Row) => [rights, left_behind])).toEqual([['view', false]])
  })

  it('is listed for both sides, names for the owner of the cluster only, also when the federation is gone', async () => {
    await left()
    const owner = await rows(BEN)
    expect(owner.map(({ kind }) => kind).sort()).toEqual(['secret', 'service-account'])
    expect(owner[0]).toMatchObject({ place: 'member', rights: 'view', valid_until: 'never', holder: 'federation' })
    expect(owner.every(({ object }) => object.includes('fedplane-'))).toBe(true)
    expect((await rows(ANA)).map(({ object }) => object)).toEqual([null, null])
    await two.call(ANA, 'DELETE', `/v1/federations/${federation}`)
    await two.settled(federation)
    expect([(await rows(BEN)).length, (await rows(ANA)).length]).toEqual([2, 2])
    await sweepHealth(two.lab.ports)
    expect(there()).toContain('ServiceAccount')
    await again()
    expect([await rows(BEN), await rows(ANA), there()]).toEqual([[], [], []])
    expect(await removedEvents()).toMatchObject([{ message: expect.stringContaining(federation) }])
  })

  it('is somebody else’s where the uid or the label is another', async () => {
    await left()
    const { store } = edgeServer!.cluster
    const accounts = { group: '', version: 'v1', plural: 'serviceaccounts' }
    const [account] = store
      .list(accounts)
      .filter(({ metadata }) => metadata.labels?.['fedplane.io/federation'] === federation)
    const stored = store.get(accounts, account!.metadata.name, account!.metadata.namespace)!
    store.put(accounts, {
      ...stored,
      object: { ...stored.object, metadata: { ...stored.object.metadata, uid: 'another' } },
    })
    await again()
    expect([await rows(BEN), there()]).toEqual([[], ['ServiceAccount', 'Namespace']])
  })

  it('is taken over by a federation that the cluster joins again', async () => {
    await left()
    down = ''
    await two.join(federation, edge)
    await two.settled(federation)
    expect(await rows(BEN)).toEqual([])
    await again()
    expect(there()).toContain('ServiceAccount')
    expect(await removedEvents()).toEqual([])
  })

  it('is forgotten with the cluster', async () => {
    await left()
    await two.call(BEN, 'DELETE', `/v1/clusters/${edge}`)
    await until(async () => (await two.call(BEN, 'GET', `/v1/clusters/${edge}`)).status === 404)
    expect([await rows(BEN), await rows(ANA)]).toEqual([[], []])
  })
})
