import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { dynamoStores } from '../../../functions/store/dynamodb/stores.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { collect, manualClock, stored } from '../../support/store/contract-subject.ts'
import { createTestTable, type TestTable } from '../../support/store/database.ts'
import { scanTable } from '../../support/store/dynamo-subject.ts'
import { type Fault, type Faults, installFaults } from '../../support/store/faults.ts'
import { memoryKeys } from '../../support/store/memory-keys.ts'
import {
  readyOf,
  sampleCluster,
  sampleEvent,
  sampleId,
  sampleJoining,
  sampleOperation,
  sampleTemplate,
} from '../../support/store/samples.ts'

/** The SDK gives up after the second attempt here, so that the tests need not wait. */
const SDK_ATTEMPTS = 2

const times = (count: number, fault: Fault): Fault[] => Array.from({ length: count }, () => fault)

describe('stores on a DynamoDB under load', () => {
  let table: TestTable
  let stores: Stores
  let faults: Faults
  let pauses: number[] = []

  beforeAll(async () => {
    table = await createTestTable()
    const { connection, tableName } = table
    const documentClient = openDocumentClient({ ...connection, maxAttempts: SDK_ATTEMPTS })
    faults = installFaults(documentClient)
    const pause = async (milliseconds: number) => {
      pauses.push(milliseconds)
    }
    stores = dynamoStores({ documentClient, tableName, keys: memoryKeys(), clock: manualClock(), pause })
  })
  afterAll(() => table.dispose())
  beforeEach(() => {
    faults.inject([])
    faults.lagIndexes(undefined)
    faults.splitBatches(0)
    pauses = []
  })

  const inserted = async () => {
    const cluster = sampleCluster()
    await stores.commit([stores.clusters.insert(cluster)])
    return cluster
  }

  describe('commit', () => {
    it('of one write goes through after 15 conflicts, waiting longer and longer', async () => {
      const cluster = await inserted()
      faults.inject(times(15, 'conflict'))
      await stores.commit([stores.clusters.change(cluster, { statusReason: 'done' })])
      expect(await stores.clusters.get(cluster)).toMatchObject({ statusReason: 'done', revision: 2 })
      expect(pauses).toHaveLength(15)
      expect(pauses.every((pause, attempt) => pause <= Math.min(1000, 20 * 2 ** attempt))).toBe(true)
    })

    it('of a transaction goes through after 15 conflicts', async () => {
      const cluster = await inserted()
      const event = sampleEvent({ owner: { kind: 'cluster', id: cluster.id } })
      faults.inject(times(15, 'conflict'))
      await stores.commit([stores.clusters.change(cluster, { statusReason: 'done' }), stores.events.append(event)])
      expect(await stores.clusters.get(cluster)).toMatchObject({ statusReason: 'done', revision: 2 })
      expect((await stores.events.listOf('blue', event.owner, { limit: 9 })).items).toEqual([event])
    })

    it.each<[string, Fault]>([
      ['conflicts', 'conflict'],
      ['throttled transactions', 'transaction-throttled'],
    ])('gives up with StoreBusy after 15 s of %s, and nothing is changed', async (_, fault) => {
      const cluster = await inserted()
      faults.inject(times(1000, fault))
      const writes = [stores.clusters.change(cluster, { statusReason: 'no' }), stores.events.append(sampleEvent())]
      await expect(stores.commit(writes)).rejects.toMatchObject({ name: 'StoreBusy', retryable: true })
      const waited = pauses.reduce((sum, pause) => sum + pause, 0)
      expect(waited).toBeGreaterThan(14_000)
      expect(waited).toBeLessThanOrEqual(15_000)
      expect(await stores.clusters.get(cluster)).toEqual(stored(cluster))
    })

    it.each<Fault>(['throttled', 'throughput-exceeded'])(
      'leaves being %s to the SDK, then says StoreBusy',
      async (fault) => {
        const cluster = await inserted()
        const change = () => stores.commit([stores.clusters.change(cluster, { statusReason: 'done' })])
        faults.inject(times(SDK_ATTEMPTS, fault))
        await expect(change()).rejects.toMatchObject({ name: 'StoreBusy' })
        expect(pauses).toEqual([])
        faults.inject(times(SDK_ATTEMPTS - 1, fault))
        await change()
        expect(await stores.clusters.get(cluster)).toMatchObject({ statusReason: 'done', revision: 2 })
      },
    )

    it.each<[string, Fault[]]>([
      ['"in progress" to the SDK', ['in-progress']],
      ['"in progress" also to us', times(SDK_ATTEMPTS, 'in-progress')],
      ['by a broken connection', ['answer-lost']],
    ])('of a transaction that was carried out, but answered %s, is right, and not done twice', async (_, injected) => {
      const cluster = await inserted()
      const event = sampleEvent({ owner: { kind: 'cluster', id: cluster.id } })
      faults.inject(injected)
      await stores.commit([stores.clusters.change(cluster, { statusReason: 'done' }), stores.events.append(event)])
      expect(faults.pending()).toBe(0)
      expect(await stores.clusters.get(cluster)).toMatchObject({ statusReason: 'done', revision: 2 })
    })

    it('throws the conflict of a condition that fails after a conflict of transactions', async () => {
      const cluster = await inserted()
      await stores.commit([stores.clusters.change(cluster, { statusReason: 'other' })])
      faults.inject(['conflict'])
      const late = stores.commit([stores.clusters.change(cluster, {}), stores.events.append(sampleEvent())])
      await expect(late).rejects.toMatchObject({ name: 'RevisionConflict' })
    })

    it('leaves out what is no error also between conflicts', async () => {
      const membership = sampleJoining()
      const gone = { projectId: 'blue', id: sampleId() }
      await stores.commit([stores.memberships.insert(membership)])
      faults.inject(['conflict', 'conflict'])
      await stores.commit([stores.memberships.remove(membership), stores.clusters.removeUses(gone, ['host:f'])])
      expect(await stores.memberships.get(membership)).toBeUndefined()
      expect(await stores.clusters.get(gone)).toBeUndefined()
    })
  })

  describe('reads', () => {
    it.each([
      ['get', /GetItem/, () => stores.clusters.get({ projectId: 'blue', id: 'x' })],
      ['getMany', /BatchGetItem/, () => stores.clusters.getMany('blue', ['x'])],
      ['list', /Query/, () => stores.clusters.list('blue', { limit: 1 })],
      ['open work', /Query/, () => collect(stores.work.open())],
    ])('%s says StoreBusy when it stays throttled', async (_, commands, read) => {
      // One for each shard of an index, which are read at once.
      faults.inject(times(16 * SDK_ATTEMPTS, 'throughput-exceeded'), commands)
      await expect(read()).rejects.toMatchObject({ name: 'StoreBusy' })
    })
  })

  describe('getMany', () => {
    it('reads again what DynamoDB left unprocessed, and says StoreBusy when that goes on', async () => {
      const clusters = await Promise.all(Array.from({ length: 20 }, inserted))
      const ids = clusters.map(({ id }) => id)
      faults.splitBatches(5)
      expect((await stores.clusters.getMany('blue', ids)).map(({ id }) => id).sort()).toEqual([...ids].sort())
      expect(pauses).toHaveLength(5)
      faults.splitBatches(100)
      await expect(stores.clusters.getMany('blue', ids)).rejects.toMatchObject({ name: 'StoreBusy' })
    })
  })

  describe('observe', () => {
    it('is stored after a conflict', async () => {
      const cluster = await inserted()
      const observation = {
        observedAt: '2026-11-27T10:00:01.000Z',
        healthStatus: 'HEALTHY' as const,
        healthReason: {},
        version: null,
        nodeCount: 0,
        masterCount: 0,
      }
      faults.inject(['conflict'])
      expect(await stores.clusters.observe(cluster, observation)).toBe(true)
      expect((await stores.clusters.get(cluster))?.observation).toEqual(observation)
    })
  })

  describe('with indexes that lag behind', () => {
    let earlier: TestTable
    /** Copies the table: the state that the indexes go on to show. */
    const freezeIndexes = async () => {
      earlier = await createTestTable()
      for (const item of await scanTable(table)) {
        await earlier.client.send(new PutItemCommand({ TableName: earlier.tableName, Item: item }))
      }
      faults.lagIndexes(earlier.tableName)
    }

    it('get, name and list tell the present; work tells the past, and only what the entities can correct', async () => {
      const projectId = sampleId()
      const joining = sampleJoining({ projectId })
      const ready = readyOf(joining, '2026-11-27T09:00:00.000Z')
      await stores.commit([stores.memberships.insert(joining)])
      await freezeIndexes()
      const cluster = sampleCluster({ projectId, operation: sampleOperation('create') })
      await stores.commit([stores.memberships.replace(joining, ready), stores.clusters.insert(cluster)])

      expect(await stores.clusters.get(cluster)).toEqual(stored(cluster))
      expect(await stores.clusters.findByName(projectId, cluster.name)).toEqual([cluster.id])
      expect((await stores.clusters.list(projectId, { limit: 9 })).items).toEqual([stored(cluster)])
      expect(await stores.memberships.get(joining)).toMatchObject({ state: 'Ready', operation: null })
      const ours = async () => (await collect(stores.work.open())).filter((work) => work.projectId === projectId)
      expect(await ours()).toMatchObject([{ kind: 'membership' }])
      expect(await collect(stores.work.renewals('2026-11-27T10:00:00.000Z'))).toEqual([])

      expect((await stores.clusters.locate({ projectId, allProjects: true }, cluster.id))?.id).toBe(cluster.id)
      expect((await stores.clusters.listWithin({ projectId, allProjects: true }, { limit: 99 })).items).toContainEqual(
        stored(cluster),
      )

      faults.lagIndexes(undefined)
      expect(await ours()).toMatchObject([{ kind: 'cluster', entityId: cluster.id }])
      expect(await collect(stores.work.renewals('2026-11-27T10:00:00.000Z'))).toHaveLength(1)
      await earlier.dispose()
    })

    it('published templates tell the present; across projects what is gone is left out', async () => {
      const [owner, reader] = [sampleId(), sampleId()]
      const gone = sampleTemplate({ projectId: owner, public: true })
      const hidden = sampleTemplate({ projectId: owner, public: true })
      await stores.commit([gone, hidden].map(stores.templates.insert))
      await freezeIndexes()
      const published = sampleTemplate({ projectId: owner, public: true })
      await stores.commit([
        stores.templates.insert(published),
        stores.templates.remove(gone),
        stores.templates.change(hidden, { hidden: true }),
      ])
      const list = async (allProjects: boolean) =>
        (await stores.templates.listWithin({ projectId: reader, allProjects }, { limit: 99 })).items.map(({ id }) => id)
      expect(await list(false)).toEqual([published.id])
      expect(await list(true)).toEqual([hidden.id, published.id])
      const admin = { projectId: reader, allProjects: true }
      expect(await stores.templates.locate(admin, gone.id)).toBeUndefined()
      expect(await stores.templates.locate(admin, published.id)).toEqual(published)
      await earlier.dispose()
    })
  })

  describe('places of a quota', () => {
    it('are taken after conflicts, and say StoreBusy when the database stays throttled', async () => {
      const projectId = sampleId()
      faults.inject(times(3, 'conflict'), /UpdateItem/)
      await stores.quotas.takePlace(projectId, 1)
      await expect(stores.quotas.takePlace(projectId, 1)).rejects.toMatchObject({ name: 'QuotaReached' })
      faults.inject(times(SDK_ATTEMPTS, 'throttled'))
      await expect(stores.quotas.takePlace(projectId, 2)).rejects.toMatchObject({ name: 'StoreBusy' })
    })
  })
})
