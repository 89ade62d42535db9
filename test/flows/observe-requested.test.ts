import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { askToObserve } from '../../functions/core/cluster/observe-commands.ts'
import { notificationOf } from '../../functions/core/values/event.ts'
import { observeDue, observeRequested } from '../../functions/workers/health-sweep/observe-requested.ts'
import { createCluster, deleteCluster } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended } from '../support/flows/look.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const given = async () => {
  const { id, ref } = await createCluster(lab, 'watched')
  await ended(lab, ref)
  lab.reset()
  const { projectId } = (await clusterOf(lab, id))!
  lab.clock.advance(3_600_000)
  return { projectId, clusterId: id }
}
type Key = Awaited<ReturnType<typeof given>>
const ask = (key: Key) => askToObserve(lab.ports, key)
const run = (key: Key) => observeRequested(lab.ports, key, 0)
const observations = ({ clusterId }: Key): number =>
  lab.clusters.calls.filter((call) => call.name === 'observe' && call.clusterId === clusterId).length
const request = (key: Key) => lab.ports.stores.observeRequests.get(key)
const healthEvents = async ({ projectId, clusterId }: Key) => {
  const { items } = await lab.ports.stores.events.listOf(projectId, { kind: 'cluster', id: clusterId }, { limit: 99 })
  return items.filter(({ health }) => health !== undefined)
}
const down = ({ clusterId: id }: Key, message = 'connection refused') => {
  lab.clusters.before = ({ name, clusterId }) => {
    // The clock of the lab stands still, and an observation must be newer than the one before.
    lab.clock.advance(1)
    if (name === 'observe' && clusterId === id) throw new Error(message)
  }
}

describe('observeRequested', () => {
  it('observes a healthy cluster once, and writes nothing of it', async () => {
    const key = await given()
    await ask(key)
    await run(key)
    expect(observations(key)).toBe(1)
    expect(await request(key)).toMatchObject({ askedAt: null, begunAt: null, endedAt: expect.any(String) })
    await run(key)
    expect(observations(key)).toBe(1)
    expect((await healthEvents(key)).map(({ health }) => health)).toEqual([{ before: null, after: 'HEALTHY' }])
  })

  it('repeats an observation that differs, and changes the health with its event when two agree', async () => {
    const key = await given()
    down(key)
    await ask(key)
    await run(key)
    expect(observations(key)).toBe(2)
    expect((await clusterOf(lab, key.clusterId))?.observation?.healthStatus).toBe('UNHEALTHY')
    const [, event] = await healthEvents(key)
    expect(event).toMatchObject({
      health: { before: 'HEALTHY', after: 'UNHEALTHY' },
      outcome: 'failure',
      reason: 'ClusterUnhealthy',
      message: 'The cluster is unhealthy: connection refused.',
    })
    expect(notificationOf(event!)).toBeUndefined()
  })

  it('changes nothing for one bad observation between good ones', async () => {
    const key = await given()
    let count = 0
    lab.clusters.before = ({ name }) => {
      lab.clock.advance(1)
      if (name === 'observe' && ++count === 1) throw new Error('connection refused')
    }
    await ask(key)
    await run(key)
    expect(observations(key)).toBe(2)
    expect((await clusterOf(lab, key.clusterId))?.observation).toMatchObject({
      healthStatus: 'HEALTHY',
      healthReason: { api: 'ok' },
    })
    expect(await healthEvents(key)).toHaveLength(1)
  })

  it('is one at a time, whoever calls it how often, and once more for all who asked meanwhile', async () => {
    const key = await given()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
    let running = 0
    let most = 0
    lab.clusters.before = async ({ name }) => {
      if (name !== 'observe') return
      most = Math.max(most, ++running)
      begins()
      await held
      running -= 1
    }
    await ask(key)
    const runs = Array.from({ length: 5 }, () => run(key))
    await begun
    const asked = await Promise.all(Array.from({ length: 20 }, () => ask(key)))
    expect(new Set(asked.map(({ revision }) => revision)).size).toBe(1)
    runs.push(run(key))
    release()
    await Promise.all(runs)
    expect([most, observations(key)]).toEqual([1, 1])
    // As the write that ended it has the stream do.
    await Promise.all([run(key), run(key)])
    expect([most, observations(key)]).toEqual([1, 2])
  })

  it('is made by the schedule when it was lost on its way, and again when who began it was killed', async () => {
    const key = await given()
    await ask(key)
    await observeDue(lab.ports)
    expect(observations(key)).toBe(1)
    lab.clock.advance(3_600_000)
    const asked = await ask(key)
    const claimed = { ...asked, askedAt: null, begunAt: asked.askedAt, leaseUntil: lab.clock.now().toISOString() }
    await lab.ports.stores.commit([
      lab.ports.stores.observeRequests.replace(asked, { ...claimed, revision: asked.revision + 1 }),
    ])
    await observeDue(lab.ports)
    expect(observations(key)).toBe(2)
  })

  it('ends without an observation for a cluster that is being deleted, and goes with one that is gone', async () => {
    const key = await given()
    await ask(key)
    const deletion = await deleteCluster(lab, key.clusterId)
    await run(key)
    expect(observations(key)).toBe(0)
    await ended(lab, deletion)
    expect(await request(key)).toBeUndefined()
  })
})
