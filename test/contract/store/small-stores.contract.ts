import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Membership } from '../../../functions/core/membership/membership.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { RevisionConflict } from '../../../functions/store/errors.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes, stored } from '../../support/store/contract-subject.ts'
import {
  readyOf,
  sampleCluster,
  sampleDelivery,
  sampleEvent,
  sampleHook,
  sampleId,
  sampleJoining,
  sampleObserveRequest,
  sampleOperation,
  sampleTrigger,
} from '../../support/store/samples.ts'

const DAY_MS = 24 * 3600 * 1000

/** What every implementation of `MembershipStore`, `EventStore` and `IdempotencyStore` does. */
export const smallStoresContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  describe('the inventory', () => {
    const issued = (expiresAt: string) => ({
      id: sampleId(),
      projectId: 'inventory',
      of: { kind: 'federation' as const, id: sampleId() },
      userId: 'ana',
      role: 'viewer' as const,
      namespace: null,
      expiresAt,
      createdAt: '2026-11-27T10:00:00.000Z',
    })

    it('remembers what was handed out, once and until it expires', async () => {
      const now = subject.clock.now().getTime()
      const [short, long] = [60_000, 120_000].map((ms) => issued(new Date(now + ms).toISOString()))
      await stores.commit([stores.inventory.remember(short!), stores.inventory.remember(long!)])
      await expect(stores.commit([stores.inventory.remember(long!)])).rejects.toMatchObject({ name: 'AlreadyExists' })
      const byId = (all: { id: string }[]) => all.map(({ id }) => id).sort()
      expect(byId(await stores.inventory.issued('inventory'))).toEqual(byId([short!, long!]))
      expect(await stores.inventory.issued('other')).toEqual([])
      subject.clock.advance(60_000)
      expect(await stores.inventory.issued('inventory')).toEqual([long])
    })

    it('keeps one of a cluster until it is forgotten, and says when it is due', async () => {
      const expiresAt = new Date(subject.clock.now().getTime() + 60_000).toISOString()
      const mine = { ...issued(expiresAt), of: { kind: 'cluster' as const, id: sampleId() }, namespace: 'shop' }
      const { projectId, of, id } = mine
      await stores.commit([stores.inventory.remember(mine)])
      const due = async () => {
        const all = await Array.fromAsync(stores.inventory.due(subject.clock.now().toISOString()))
        return all.filter((key) => key.id === id)
      }
      expect(await due()).toEqual([])
      subject.clock.advance(60_000)
      expect(await due()).toEqual([{ projectId, of, id }])
      expect((await stores.inventory.issued(projectId)).filter((it) => it.id === id)).toEqual([])
      expect(await stores.inventory.issuedOf({ projectId, id: of.id })).toEqual([mine])
      expect(await stores.inventory.get(mine)).toEqual(mine)
      for (let times = 0; times < 2; times += 1) await stores.commit([stores.inventory.forget(mine)])
      expect([await due(), await stores.inventory.get(mine)]).toEqual([[], undefined])
    })

    it('keeps what was left in a cluster for both projects, until it is removed as it was read', async () => {
      const at = subject.clock.now().toISOString()
      const key = { projectId: sampleId(), clusterId: sampleId(), federationId: sampleId() }
      const facts = { memberName: 'paris', rights: null, objects: [], createdAt: at, dueAt: at }
      const first = { ...key, federationProjectId: sampleId(), ...facts }
      const { inventory } = stores
      await stores.commit([inventory.putLeftover(undefined, first)])
      const read = (await inventory.getLeftover(key))!
      expect(read).toEqual({ ...first, revision: 1 })
      expect(await inventory.leftovers(first.federationProjectId)).toEqual([read])
      await expect(stores.commit([inventory.putLeftover(undefined, first)])).rejects.toThrow(RevisionConflict)
      const due = async () =>
        (await Array.fromAsync(inventory.dueLeftovers(at))).filter(({ clusterId }) => clusterId === key.clusterId)
      expect(await due()).toEqual([key])
      const dueAt = new Date(subject.clock.now().getTime() + 60_000).toISOString()
      await stores.commit([inventory.putLeftover(read, { ...first, dueAt })])
      expect(await due()).toEqual([])
      await expect(stores.commit([inventory.removeLeftover(read)])).rejects.toThrow(RevisionConflict)
      await stores.commit([inventory.removeLeftover((await inventory.getLeftover(key))!)])
      expect([await inventory.leftovers(key.projectId), await inventory.leftovers(first.federationProjectId)]).toEqual([
        [],
        [],
      ])
    })

    it('names what is sealed, and never has it', async () => {
      const key = { projectId: 'inventory', owner: `cluster/${sampleId()}`, purpose: 'kubeconfig#50%' }
      await stores.commit([await stores.credentials.seal(key, new Secret('the secret'))])
      expect(await stores.inventory.sealed('inventory')).toEqual([key])
      const authority = { projectId: 'inventory', clusterId: sampleId(), type: 'etcd' as const, candidate: true }
      const material = { certificatePem: 'a certificate', privateKey: new Secret('the key') }
      await stores.commit([await stores.certificates.seal(authority, material)])
      const { projectId: _, ...rest } = authority
      expect(await stores.inventory.authorities('inventory')).toEqual([{ ...rest, certificatePem: 'a certificate' }])
    })

    it('has the hooks and memberships of a whole project', async () => {
      const [hook, member] = [
        { ...sampleHook(), projectId: 'inventory' },
        { ...sampleJoining(), projectId: 'inventory' },
      ]
      await stores.commit([stores.hooks.insert(hook), stores.memberships.insert(member)])
      expect(await stores.inventory.hooks('inventory')).toEqual([hook])
      expect(await stores.inventory.memberships('inventory')).toEqual([stored(member)])
    })
  })

  describe('memberships', () => {
    const fault = { reason: 'Unreachable', message: 'No answer.' }
    const { operation: _, state: __, ...base } = sampleJoining()
    const states: Membership[] = [
      { ...base, state: 'Waiting' },
      { ...base, state: 'Joining', operation: sampleOperation('join') },
      readyOf(sampleJoining(), '2026-12-01T00:00:00.000Z'),
      { ...base, state: 'Ready', operation: sampleOperation('rotate') },
      { ...base, state: 'Degraded', operation: null, ...fault },
      { ...base, state: 'Leaving', operation: sampleOperation('unjoin', { force: true }) },
      { ...base, state: 'JoinFailed', leftovers: readyOf(sampleJoining()).made, ...fault },
      { ...base, state: 'UnjoinFailed', ...fault },
    ]

    it.each(states)('in state $state are given back as stored', async (state) => {
      const membership = { ...state, clusterId: sampleId() }
      await stores.commit([stores.memberships.insert(membership)])
      expect(await stores.memberships.get(membership)).toEqual(stored(membership))
    })

    it('are inserted once', async () => {
      const membership = sampleJoining()
      const inserts = Array.from({ length: 10 }, () => stores.commit([stores.memberships.insert(membership)]))
      expect(await outcomes(inserts)).toEqual({ done: 1, errors: Array(9).fill('AlreadyExists') })
    })

    it('are replaced as a whole by exactly one of 20 writers, who adds 1 to the revision', async () => {
      const joining = sampleJoining()
      await stores.commit([stores.memberships.insert(joining)])
      const next = readyOf(joining)
      const read = await stores.memberships.get(joining)
      const writers = Array.from({ length: 20 }, () => stores.commit([stores.memberships.replace(read!, next)]))
      expect(await outcomes(writers)).toEqual({ done: 1, errors: Array(19).fill('RevisionConflict') })
      expect(await stores.memberships.get(joining)).toEqual(stored({ ...next, revision: 2 }))
    })

    it('are removed as they were read', async () => {
      const joining = sampleJoining()
      await stores.commit([stores.memberships.insert(joining)])
      const stale = stores.commit([stores.memberships.remove({ ...joining, revision: 9 })])
      await expect(stale).rejects.toMatchObject({ name: 'RevisionConflict' })
      await stores.commit([stores.memberships.remove(joining)])
      expect(await stores.memberships.get(joining)).toBeUndefined()
      const again = stores.commit([stores.memberships.replace(joining, joining)])
      await expect(again).rejects.toMatchObject({ name: 'RevisionConflict' })
    })

    it('of one federation are listed by cluster id, and no others', async () => {
      const federation = { projectId: 'blue', id: sampleId() }
      const members = [1, 2, 3].map(() => sampleJoining({ federationId: federation.id }))
      for (const member of [...members].reverse()) await stores.commit([stores.memberships.insert(member)])
      await stores.commit([stores.memberships.insert(sampleJoining())])
      expect(await stores.memberships.listOf(federation)).toEqual(members.map(stored))
      expect(await stores.memberships.listOf({ ...federation, projectId: 'green' })).toEqual([])
    })
  })

  describe('triggers and deliveries', () => {
    const T = '2026-11-29T10:00:00.000Z'
    const dueOf = async (projectId: string, now: string): Promise<string[]> => {
      const ids: string[] = []
      for await (const key of stores.triggers.due(now)) if (key.projectId === projectId) ids.push(key.id)
      return ids
    }

    it('are given back as stored, changed and removed as they were read', async () => {
      const trigger = sampleTrigger({ projectId: sampleId() })
      await stores.commit([stores.triggers.insert(trigger)])
      expect(await stores.triggers.listOf(trigger.projectId)).toEqual([trigger])
      await stores.commit([stores.triggers.change(trigger, { formerSecretUntil: T })])
      const changed = { ...trigger, formerSecretUntil: T, revision: 2 }
      expect(await stores.triggers.get(trigger)).toEqual(changed)
      const stale = stores.commit([stores.triggers.remove(trigger)])
      await expect(stale).rejects.toMatchObject({ name: 'RevisionConflict' })
      await stores.commit([stores.triggers.remove(changed)])
      expect(await stores.triggers.listOf(trigger.projectId)).toEqual([])
    })

    it('are due from their time on while they are pending, and are added once', async () => {
      const key = { projectId: sampleId(), triggerId: sampleId() }
      const delivery = sampleDelivery(key)
      await stores.commit([stores.triggers.addDelivery(delivery)])
      await stores.commit([stores.triggers.addDelivery({ ...delivery, type: 'other' })])
      expect(await stores.triggers.getDelivery(delivery)).toEqual(delivery)
      expect(await dueOf(key.projectId, '2026-11-29T09:59:59.999Z')).toEqual([])
      expect(await dueOf(key.projectId, T)).toEqual([delivery.id])
      const last = { at: T, status: 204, message: 'The receiver answered 204.' }
      const change = { state: 'delivered', attempts: 1, nextAt: null, last } as const
      await stores.commit([stores.triggers.changeDelivery(delivery, change)])
      expect(await dueOf(key.projectId, T)).toEqual([])
      const page = await stores.triggers.deliveriesOf({ projectId: key.projectId, id: key.triggerId }, { limit: 9 })
      expect(page).toEqual({ items: [{ ...delivery, ...change, revision: 2 }], more: false })
      const again = stores.commit([stores.triggers.changeDelivery(delivery, change)])
      await expect(again).rejects.toMatchObject({ name: 'RevisionConflict' })
    })
  })

  describe('requests to observe clusters', () => {
    const given = async () => {
      const cluster = sampleCluster()
      await stores.commit([stores.clusters.insert(cluster)])
      return { projectId: cluster.projectId, clusterId: cluster.id }
    }
    const dueAt = async ({ clusterId }: { clusterId: string }, now: string): Promise<number> => {
      let count = 0
      for await (const key of stores.observeRequests.due(now)) count += key.clusterId === clusterId ? 1 : 0
      return count
    }
    const T = '2026-11-29T10:00:00.000Z'

    it('are stored once for each cluster that is there, and changed as they were read', async () => {
      const key = await given()
      const asked = sampleObserveRequest(key)
      await stores.commit([stores.observeRequests.ask(undefined, asked)])
      expect(await stores.observeRequests.get(key)).toEqual(asked)
      const again = stores.commit([stores.observeRequests.ask(undefined, asked)])
      await expect(again).rejects.toMatchObject({ name: 'RevisionConflict' })
      const next = { ...asked, askedAt: null, begunAt: T, leaseUntil: '2026-11-29T10:01:30.000Z', revision: 2 }
      await stores.commit([stores.observeRequests.replace(asked, next)])
      expect(await stores.observeRequests.get(key)).toEqual(next)
      const stale = stores.commit([stores.observeRequests.replace(asked, next)])
      await expect(stale).rejects.toMatchObject({ name: 'RevisionConflict' })
      const gone = sampleObserveRequest()
      const asking = stores.commit([stores.observeRequests.ask(undefined, gone)])
      await expect(asking).rejects.toMatchObject({ name: 'ClusterNotUsable' })
      await stores.commit([stores.observeRequests.remove(key), stores.observeRequests.remove(gone)])
      expect(await stores.observeRequests.get(key)).toBeUndefined()
    })

    it('are due from when they were asked, else from the end of the lease, until they are over', async () => {
      const key = await given()
      const asked = sampleObserveRequest(key)
      await stores.commit([stores.observeRequests.ask(undefined, asked)])
      expect([await dueAt(key, '2026-11-29T09:59:59.999Z'), await dueAt(key, T)]).toEqual([0, 1])
      const next = { ...asked, askedAt: null, begunAt: T, leaseUntil: '2026-11-29T10:01:30.000Z', revision: 2 }
      await stores.commit([stores.observeRequests.replace(asked, next)])
      expect([await dueAt(key, T), await dueAt(key, '2026-11-29T10:01:30.000Z')]).toEqual([0, 1])
      const over = { ...next, begunAt: null, leaseUntil: null, endedAt: T, revision: 3 }
      await stores.commit([stores.observeRequests.replace(next, over)])
      expect(await dueAt(key, '2026-11-30T10:00:00.000Z')).toBe(0)
    })
  })

  describe('hooks', () => {
    it('are found by their digest and listed with their cluster, until they are removed', async () => {
      const [one, other] = [sampleHook(), sampleHook()]
      await stores.commit([stores.hooks.insert(one), stores.hooks.insert(other)])
      const { projectId, clusterId, id, digest } = one
      expect(await stores.hooks.find(digest)).toEqual({ projectId, clusterId, id })
      expect(await stores.hooks.listOf(one)).toEqual([one])
      const twice = stores.commit([stores.hooks.insert(one)])
      await expect(twice).rejects.toMatchObject({ name: 'AlreadyExists' })
      await stores.commit([stores.hooks.remove(one)])
      await stores.commit([stores.hooks.remove(one)])
      expect([await stores.hooks.find(digest), await stores.hooks.listOf(one)]).toEqual([undefined, []])
    })
  })

  describe('the feed of a project', () => {
    const publish = async (projectId: string, positions: readonly string[]) => {
      const entries = positions.map((position) => ({ position, event: sampleEvent({ projectId, id: sampleId() }) }))
      for (const entry of entries) await stores.events.publish(entry)
      return entries
    }

    it('is read from a position on, in the order of positions as numbers, page by page', async () => {
      const projectId = sampleId()
      const [nine, ten, long] = await publish(projectId, ['9', '10', '1234567890123456789012345'])
      await publish(sampleId(), ['11'])
      expect(await stores.events.feed(projectId, { limit: 2 })).toEqual({ items: [nine, ten], more: true })
      expect(await stores.events.feed(projectId, { limit: 2, after: '10' })).toEqual({ items: [long], more: false })
      expect(await stores.events.lastPosition(projectId)).toBe(long!.position)
    })

    it('has an entry once, however often it is published', async () => {
      const projectId = sampleId()
      const [first] = await publish(projectId, ['1'])
      await stores.events.publish(first!)
      expect((await stores.events.feed(projectId, { limit: 9 })).items).toEqual([first])
    })

    it('leaves out what happened before a time, and is empty where nothing happened', async () => {
      const projectId = sampleId()
      expect(await stores.events.lastPosition(projectId)).toBeUndefined()
      const [before, after] = ['2026-11-28T10:00:00.000Z', '2026-11-28T10:00:01.000Z']
      await stores.events.publish({ position: '1', event: sampleEvent({ projectId, time: before }) })
      await stores.events.publish({ position: '2', event: sampleEvent({ projectId, id: sampleId(), time: after }) })
      const { items, more } = await stores.events.feed(projectId, { limit: 1, since: after })
      expect([items.map(({ position }) => position), more]).toEqual([['2'], false])
    })
  })

  describe('events', () => {
    it('are listed by owner, oldest first, page by page', async () => {
      const owner = { kind: 'federation' as const, id: sampleId() }
      const events = [1, 2, 3].map((sequence) => sampleEvent({ owner, sequence, clusterId: 'c1' }))
      for (const event of [...events].reverse()) await stores.commit([stores.events.append(event)])
      await stores.commit([stores.events.append(sampleEvent())])
      const first = await stores.events.listOf('blue', owner, { limit: 2 })
      expect(first).toEqual({ items: events.slice(0, 2), more: true })
      const second = await stores.events.listOf('blue', owner, { limit: 2, marker: events[1]!.id })
      expect(second).toEqual({ items: events.slice(2), more: false })
      const cluster = { kind: 'cluster' as const, id: owner.id }
      expect((await stores.events.listOf('blue', cluster, { limit: 2 })).items).toEqual([])
    })

    it('are kept 30 days', async () => {
      const owner = { kind: 'cluster' as const, id: sampleId() }
      await stores.commit([stores.events.append(sampleEvent({ owner }))])
      subject.clock.advance(30 * DAY_MS - 1000)
      expect((await stores.events.listOf('blue', owner, { limit: 9 })).items).toHaveLength(1)
      subject.clock.advance(1000)
      expect((await stores.events.listOf('blue', owner, { limit: 9 })).items).toEqual([])
    })
  })

  describe('idempotency keys', () => {
    const result = { fingerprint: 'sha', entityId: 'e1' }

    it('are remembered once per project, whatever text they are', async () => {
      const key = `${'#"\n\u0000'.repeat(400)}${sampleId()}`
      expect(await stores.idempotency.get('blue', key)).toBeUndefined()
      await stores.commit([stores.idempotency.remember('blue', key, result)])
      expect(await stores.idempotency.get('blue', key)).toEqual(result)
      const second = stores.commit([stores.idempotency.remember('blue', key, { ...result, entityId: 'e2' })])
      await expect(second).rejects.toMatchObject({ name: 'ReservationTaken' })
      await stores.commit([stores.idempotency.remember('green', key, result)])
    })

    it('are forgotten after 24 hours', async () => {
      const key = sampleId()
      await stores.commit([stores.idempotency.remember('blue', key, result)])
      subject.clock.advance(DAY_MS - 1000)
      expect(await stores.idempotency.get('blue', key)).toEqual(result)
      subject.clock.advance(1000)
      expect(await stores.idempotency.get('blue', key)).toBeUndefined()
      const next = { ...result, entityId: 'e2' }
      await stores.commit([stores.idempotency.remember('blue', key, next)])
      expect(await stores.idempotency.get('blue', key)).toEqual(next)
    })

    it('of 10 requests at once are taken by one', async () => {
      const key = sampleId()
      const requests = Array.from({ length: 10 }, () =>
        stores.commit([stores.events.append(sampleEvent()), stores.idempotency.remember('blue', key, result)]),
      )
      expect(await outcomes(requests)).toEqual({ done: 1, errors: Array(9).fill('ReservationTaken') })
    })
  })
}
