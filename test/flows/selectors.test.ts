import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ownerEvent } from '../../functions/core/operation/events.ts'
import { noteForSelectors } from '../../functions/core/selector/note.ts'
import type { DomainEvent } from '../../functions/core/values/event.ts'
import { follow, followDue } from '../../functions/workers/selectors/follow-due.ts'
import { ANA, openTwoProjects, type TwoProjects } from '../support/flows/two-projects.ts'
import { until } from '../support/local/engine-lab.ts'

/** Issue 18, point 1: membership by selector, with memory@1 over the embedded engine. */

let two: TwoProjects
beforeAll(async () => {
  two = await openTwoProjects()
})
afterAll(() => two.dispose())
beforeEach(() => two.lab.reset())

const stores = () => two.lab.ports.stores
const PROJECT = ANA.projectId

/** Of a feed: what happened to an owner, as the relay hands it on. */
const eventsOf = async (kind: 'cluster' | 'federation', id: string): Promise<DomainEvent[]> =>
  (await stores().events.listOf(PROJECT, { kind, id }, { limit: 1000 })).items

const labelled = (name: string, labels: Record<string, string>, given = {}) =>
  two.cluster(ANA, name, { ...given }).then((id) => relabel(id, labels).then(() => id))

/** As an upgrade or another command changes them: with an event in the same commit. */
const relabel = async (id: string, labels: Record<string, string>): Promise<DomainEvent> => {
  const read = await stores().clusters.get({ projectId: PROJECT, id })
  if (read === undefined) throw new Error('gone')
  const said = { action: 'update', outcome: 'success', reason: 'Relabelled', message: 'Its labels changed.' } as const
  await stores().commit([
    stores().clusters.change(read, { magnum: { ...read.magnum, labels } }),
    ownerEvent(two.lab.ports, 'cluster', read, said),
  ])
  const last = (await eventsOf('cluster', id)).at(-1)
  if (last === undefined) throw new Error('no event')
  return last
}

/** What the relay does for an event, and who it wakes. */
const relay = async (event: DomainEvent): Promise<void> => {
  for (const key of await noteForSelectors(two.lab.ports, event)) await follow(two.lab.ports, key)
}

const federationWith = async (member_selector: Record<string, unknown>, body = {}) => {
  const id = await two.federation({ member_selector, ...body })
  await follow(two.lab.ports, { projectId: PROJECT, id })
  return id
}

/** Members in rest, by name. */
const members = async (id: string): Promise<string[]> =>
  (await two.settled(id)).body.members
    .map(({ name, state }: { name: string; state: string }) => `${name} ${state}`)
    .sort()

const view = async (id: string) => (await two.settled(id)).body
const conditionOf = async (id: string, type: string) =>
  (await view(id)).conditions.find((it: { type: string }) => it.type === type)
const patch = (target: string, op: string, path: string, value?: unknown) =>
  two.call(ANA, 'PATCH', `/v1/federations/${target}`, [{ op, path, ...(value === undefined ? {} : { value }) }])

/** Time goes on, and the schedule of each minute runs. */
const minute = async (): Promise<void> => {
  two.lab.clock.advance(61_000)
  await followDue(two.lab.ports)
}

let counter = 0
const fresh = () => ({ group: `g${++counter}` })

describe('what matches joins, and what stops matching leaves', () => {
  it('joins those that are there when the selector is set, and no others', async () => {
    const labels = fresh()
    await labelled('one', labels)
    await labelled('two', { ...labels, legacy: '' })
    await labelled('three', fresh())
    const id = await federationWith({ labels: `group=${labels.group},!legacy` })
    expect(await members(id)).toEqual(['one Ready'])
    expect(await view(id)).toMatchObject({
      member_selector: {
        labels: `group=${labels.group},!legacy`,
        max_unavailable: 1,
        member_limit: null,
        set_by: 'ana',
      },
      excluded_ids: [],
    })
  })

  it('joins one by its event, and has it leave by its event', async () => {
    const labels = fresh()
    const id = await federationWith({ labels: `group=${labels.group}` })
    const cluster = await labelled('late', {})
    await relay(await relabel(cluster, labels))
    expect(await members(id)).toEqual(['late Ready'])
    await relay(await relabel(cluster, {}))
    expect(await members(id)).toEqual([])
  })

  it('joins once by two events at once', async () => {
    const labels = fresh()
    const id = await federationWith({ labels: `group=${labels.group}` })
    const event = await relabel(await two.cluster(ANA, 'twice'), labels)
    await Promise.all([relay(event), relay(event), relay({ ...event, id: `${event.id}b` })])
    expect(await members(id)).toEqual(['twice Ready'])
    expect(
      (await eventsOf('federation', id)).filter(({ action, reason }) => action === 'join' && reason === 'Requested'),
    ).toHaveLength(1)
  })

  it('loses nothing when the process dies between event and join', async () => {
    const labels = fresh()
    const id = await federationWith({ labels: `group=${labels.group}` })
    const event = await relabel(await two.cluster(ANA, 'killed'), labels)
    await noteForSelectors(two.lab.ports, event)
    await minute()
    expect(await members(id)).toEqual(['killed Ready'])
  })

  it('keeps an event that comes while an older one is followed', async () => {
    const labels = fresh()
    const id = await federationWith({ labels: `group=${labels.group}` })
    const cluster = await two.cluster(ANA, 'turns')
    await noteForSelectors(two.lab.ports, await relabel(cluster, labels))
    const [work] = await stores().selectors.workOf({ projectId: PROJECT, id })
    await noteForSelectors(two.lab.ports, await relabel(cluster, labels))
    if (work) await stores().commit([stores().selectors.removeWork(work)])
    expect(await stores().selectors.workOf({ projectId: PROJECT, id })).toHaveLength(1)
    await follow(two.lab.ports, { projectId: PROJECT, id })
    expect(await members(id)).toEqual(['turns Ready'])
  })

  it('leaves members alone that somebody added', async () => {
    const labels = fresh()
    const own = await two.cluster(ANA, 'own')
    const id = await federationWith({ labels: `group=${labels.group}` }, { member_ids: [own] })
    await relay(await relabel(own, {}))
    expect(await members(id)).toEqual(['own Ready'])
  })

  it('follows another selector, and none once it is removed', async () => {
    const [a, b] = [fresh(), fresh()]
    const one = await labelled('a', a)
    await labelled('b', b)
    const id = await federationWith({ labels: `group=${a.group}` })
    expect((await patch(id, 'replace', '/member_selector', { labels: `group=${b.group}` })).status).toBe(202)
    await follow(two.lab.ports, { projectId: PROJECT, id })
    expect(await members(id)).toEqual(['b Ready'])
    expect((await patch(id, 'remove', '/member_selector')).status).toBe(202)
    await relay(await relabel(one, b))
    expect(await members(id)).toEqual(['b Ready'])
    expect((await view(id)).member_selector).toBeNull()
  })

  it('reads selectors and the one cluster for an event, and no others', async () => {
    const labels = fresh()
    await federationWith({ labels: `group=${labels.group}` })
    const event = await relabel(await two.cluster(ANA, 'counted'), { other: 'x' })
    const reads = await readsOf(() => noteForSelectors(two.lab.ports, event))
    expect(reads).toEqual(['QueryCommand', 'GetCommand'])
  })
})

/** Names of the commands that read the table meanwhile. */
const readsOf = async (run: () => Promise<unknown>): Promise<string[]> => {
  const { client } = stores().table
  const send = client.send
  const names: string[] = []
  client.send = ((command: object, ...rest: unknown[]) => {
    names.push(command.constructor.name)
    return (send as (...all: unknown[]) => unknown).call(client, command, ...rest)
  }) as typeof send
  await run()
  client.send = send
  return names.filter((name) => /^(Get|BatchGet|Query|Scan)/.test(name))
}

describe('guards', () => {
  const eight = async (selector = {}) => {
    const labels = fresh()
    const names = Array.from({ length: 8 }, (_, index) => `m${index}`)
    const ids: string[] = []
    for (const name of names) ids.push(await labelled(name, labels))
    const id = await federationWith({ labels: `group=${labels.group}`, ...selector })
    expect(await members(id)).toHaveLength(8)
    return { id, ids, labels }
  }

  it('lets one leave at a time, and a quarter a minute', async () => {
    const { id, ids } = await eight()
    for (const cluster of ids.slice(0, 3)) await noteForSelectors(two.lab.ports, await relabel(cluster, {}))
    const key = { projectId: PROJECT, id }
    await follow(two.lab.ports, key)
    const leaving = await stores().memberships.listOf(key)
    expect(leaving.filter(({ state }) => state === 'Leaving').length).toBeLessThanOrEqual(1)
    expect(await members(id)).toHaveLength(7)
    await follow(two.lab.ports, key)
    expect(await members(id)).toHaveLength(6)
    await follow(two.lab.ports, key)
    expect(await members(id)).toHaveLength(6)
    expect(await conditionOf(id, 'SelectorFollowed')).toMatchObject({ status: 'Unknown', reason: 'Waiting' })
    await minute()
    expect(await members(id)).toHaveLength(5)
    expect(await conditionOf(id, 'SelectorFollowed')).toMatchObject({ status: 'True' })
  })

  it('holds what asks more than half to leave, until it is let go', async () => {
    const { id, labels } = await eight({ max_unavailable: 8 })
    const none = { labels: `group=${labels.group},never`, max_unavailable: 8 }
    const dry = await patch(`${id}?dry_run=true`, 'replace', '/member_selector', none)
    expect([dry.body.would_join, dry.body.would_leave.length]).toEqual([[], 8])
    await patch(id, 'replace', '/member_selector', none)
    await follow(two.lab.ports, { projectId: PROJECT, id })
    expect(await members(id)).toHaveLength(8)
    expect(await conditionOf(id, 'SelectorHeld')).toMatchObject({ status: 'True', reason: 'MoreThanHalf' })
    const release = () => two.call(ANA, 'POST', `/v1/federations/${id}/actions/release-selector`)
    expect((await release()).status).toBe(202)
    await minute()
    expect(await members(id)).toHaveLength(6)
    for (let left = 0; left < 8; left++) {
      await minute()
      await two.settled(id)
    }
    expect(await members(id)).toEqual([])
    expect((await release()).status).toBe(409)
  })

  it('lets no more join than the limit', async () => {
    const { id, labels } = await eight({ member_limit: 8 })
    await relay(await relabel(await two.cluster(ANA, 'ninth'), labels))
    expect(await members(id)).toHaveLength(8)
    expect(await conditionOf(id, 'SelectorFollowed')).toMatchObject({ status: 'False', reason: 'MemberLimitReached' })
  })

  it('excludes who is removed by somebody, until it is added', async () => {
    const labels = fresh()
    const cluster = await labelled('out', labels)
    const id = await federationWith({ labels: `group=${labels.group}` })
    await patch(id, 'remove', '/member_ids', cluster)
    await until(async () => (await members(id)).length === 0)
    await relay(await relabel(cluster, labels))
    expect([await members(id), (await view(id)).excluded_ids]).toEqual([[], [cluster]])
    await patch(id, 'add', '/member_ids', cluster)
    expect([await members(id), (await view(id)).excluded_ids]).toEqual([['out Ready'], []])
    await relay(await relabel(cluster, {}))
    expect(await members(id)).toEqual([])
  })
})

describe('200 clusters that are relabelled', () => {
  it('join in transactions of some, leave by the guards, and cost reads that do not grow with each other', async () => {
    const labels = fresh()
    const ids: string[] = []
    for (let index = 0; index < 200; index++) ids.push(await two.cluster(ANA, `many-${index}`))
    const id = await federationWith({ labels: `group=${labels.group}` })
    const key = { projectId: PROJECT, id }
    const noting = await readsOf(async () => {
      for (const cluster of ids) {
        const event = await relabel(cluster, labels)
        await noteForSelectors(two.lab.ports, event)
      }
    })
    // `relabel` itself reads cluster and events.
    expect(noting.length).toBe(200 * 4)
    await follow(two.lab.ports, key)
    expect((await members(id)).filter((name) => name.endsWith(' Ready'))).toHaveLength(200)
    for (const cluster of ids.slice(0, 90)) await noteForSelectors(two.lab.ports, await relabel(cluster, {}))
    await follow(two.lab.ports, key)
    expect(
      (await stores().memberships.listOf(key)).filter(({ state }) => state === 'Leaving').length,
    ).toBeLessThanOrEqual(1)
    const reads = await readsOf(() => follow(two.lab.ports, key))
    expect(reads.length).toBeLessThan(12)
  }, 120_000)
})
