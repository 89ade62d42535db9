import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PlannedFailure } from '../../functions/drivers/contract/errors.ts'
import { namespaceName } from '../../functions/drivers/federation/memory/v1/description.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { changeFederation, createFederation, createWithHost, membership, registered } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, federationOf, history, latestOf, messages, settled } from '../support/flows/look.ts'
import { until } from '../support/local/engine-lab.ts'

/** Federations whose host is created with them (decision 0037). */

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

/** Waits for the end of the host's deletion. */
const hostGone = async (host: string): Promise<void> => {
  await ended(lab, await latestOf(lab, 'cluster-delete', host))
  expect(await clusterOf(lab, host)).toBeUndefined()
  expect(lab.clusters.up.has(host)).toBe(false)
}

const created = async (options: Parameters<typeof createWithHost>[1] = {}) => {
  const it = await createWithHost(lab, options)
  expect(await settled(lab, it.id)).toMatchObject({ status: 'CREATE_COMPLETE' })
  return it
}

/** Holds the host's create at its first act until `release`; with `drop` that comes to nothing, as one whose process is gone. */
const heldHost = () => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => undefined)
  lab.clusters.before = async ({ name }) => {
    if (!name.startsWith('ensure:')) return
    lab.clusters.before = undefined
    await promise
  }
  return { release: resolve, drop: () => reject(new PlannedFailure('The process is gone.')) }
}

/** What the federation's driver was asked for. */
const callsFor = (id: string) => lab.world.calls.filter(({ federationId }) => federationId === id)

const waiting = (id: string) =>
  until(async () => {
    const { statusReason } = await federationOf(lab, id)
    return statusReason?.includes('host cluster') && statusReason
  })

describe('create', () => {
  it('waits for the host, then goes on; members join at the end', async () => {
    const member = await registered(lab, 'member')
    const { id, host } = await created({ members: [member] })
    expect(await clusterOf(lab, host)).toMatchObject({ status: 'CREATE_COMPLETE', uses: [`host:${id}`] })
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
    expect(await federationOf(lab, id)).toMatchObject({ createdHost: { keep: false, state: 'ready' } })
    expect(lab.world.holds(host)).not.toEqual([])
  })

  it('shows in one progress what the host waits for', async () => {
    const held = heldHost()
    const { id } = await createWithHost(lab)
    expect(await waiting(id)).toMatch(/^1\/\d+ host cluster: waiting for the host cluster fleet-host/)
    held.release()
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', statusReason: null })
  })

  it('claims its namespaces of the host once that is there', async () => {
    const { id, host } = await created()
    const { identity } = (await clusterOf(lab, host))!
    const { federations, commit } = lab.ports.stores
    const claim = federations.claimNamespace({ projectId: 'blue', uid: identity!.uid }, namespaceName(id), 'another')
    await expect(commit([claim])).rejects.toMatchObject({ name: 'ReservationTaken' })
  })

  it('makes two of one name at once, each with a host of its own', async () => {
    const [one, two] = await Promise.all([created({ name: 'twin' }), created({ name: 'twin' })])
    expect(one.host).not.toBe(two.host)
  })
})

describe('undo', () => {
  it('takes the host away when its driver fails, and says why', async () => {
    const { id, host } = await createWithHost(lab, { labels: { 'memory-fail-phase': 'identify' } })
    const failed = await settled(lab, id)
    expect(failed).toMatchObject({ status: 'CREATE_FAILED', made: [], createdHost: { state: 'gone' } })
    const { statusReason } = await federationOf(lab, id)
    expect(statusReason).toMatch(
      /^HostNotCreated: The host cluster fleet-host .* PlannedFailure: .* is being deleted\.$/,
    )
    await hostGone(host)
    await ended(lab, await changeFederation(lab, id, 'delete'))
    expect(await settled(lab, id)).toBe('gone')
    // Neither had an API server to ask for anything.
    expect(callsFor(id)).toEqual([])
  })

  it('keeps the host while something in it could not be taken back, for the delete to try again', async () => {
    lab.world.before = ({ name }) => {
      if (name === 'undo:namespace') throw new PlannedFailure('the namespace does not go')
    }
    const { id, host } = await createWithHost(lab, { properties: { 'memory-fail-phase': 'verify' } })
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED', createdHost: { state: 'ready' } })
    expect(await clusterOf(lab, host)).toMatchObject({ status: 'CREATE_COMPLETE', uses: [`host:${id}`] })
    lab.reset()
    await ended(lab, await changeFederation(lab, id, 'delete'))
    await hostGone(host)
  })

  it('takes the host away when the federation fails on it', async () => {
    const { id, host } = await createWithHost(lab, { properties: { 'memory-fail-phase': 'verify' } })
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED', createdHost: { state: 'gone' } })
    await hostGone(host)
    expect(lab.world.holds(host)).toEqual([])
  })

  it('keeps a host that is to be kept', async () => {
    const { id, host } = await createWithHost(lab, { keep: true, properties: { 'memory-fail-phase': 'verify' } })
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED' })
    expect((await federationOf(lab, id)).statusReason).toContain('is kept, as asked')
    expect(await clusterOf(lab, host)).toMatchObject({ status: 'CREATE_COMPLETE' })
    await ended(lab, await changeFederation(lab, id, 'delete'))
    expect(await clusterOf(lab, host)).toMatchObject({ status: 'CREATE_COMPLETE', uses: [] })
  })

  it('fails the waiting members', async () => {
    const member = await registered(lab, 'member')
    const labels = { 'memory-fail-phase': 'identify' }
    const { id, host } = await createWithHost(lab, { labels, members: [member] })
    await settled(lab, id)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'JoinFailed', reason: 'FederationCreateFailed' })
    await hostGone(host)
  })

  it('begins at the deadline, which the host has its time in', async () => {
    const held = heldHost()
    const { id, host } = await createWithHost(lab, { attributes: { createTimeout: 90 } })
    await waiting(id)
    const { operation } = await federationOf(lab, id)
    const seconds = (Date.parse(operation!.deadline) - Date.parse(operation!.startedAt)) / 1000
    expect(seconds).toBe(90 * 60 + 900 + 1800)
    lab.clock.advance((seconds + 1) * 1000)
    await reconcile(lab.ports)
    held.drop()
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED' })
    await hostGone(host)
  })
})

describe('delete', () => {
  it('takes the host away with the federation', async () => {
    const { id, host } = await created()
    await ended(lab, await changeFederation(lab, id, 'delete'))
    expect(await settled(lab, id)).toBe('gone')
    await hostGone(host)
    expect(await history(lab, 'cluster', host)).toContain('delete pending FederationGone')
    expect((await messages(lab, 'federation', id)).at(-1)).toMatch(
      /nothing was left behind\. Its host .* is being deleted\.$/,
    )
  })

  it('keeps a host that is to be kept', async () => {
    const { id, host } = await created({ keep: true })
    await ended(lab, await changeFederation(lab, id, 'delete'))
    expect(await clusterOf(lab, host)).toMatchObject({ status: 'CREATE_COMPLETE', uses: [] })
  })

  it('keeps a host that another federation uses', async () => {
    const { id, host } = await created()
    const other = await createFederation(lab, host)
    await settled(lab, other.id)
    await ended(lab, await changeFederation(lab, id, 'delete'))
    expect(await clusterOf(lab, host)).toMatchObject({ status: 'CREATE_COMPLETE', uses: [`host:${other.id}`] })
    expect((await messages(lab, 'federation', id)).at(-1)).toContain('is kept, since another federation uses it')
  })

  it('keeps a host that another federation takes in the very moment', async () => {
    const { id, host } = await created()
    const other = await registered(lab, 'elsewhere')
    const { id: taker } = await createFederation(lab, other)
    await settled(lab, taker)
    const { stores } = lab.ports
    const { commit } = stores
    let taken = false
    stores.commit = async (writes) => {
      if (!taken && (await federationOf(lab, id)).status === 'DELETE_IN_PROGRESS' && writes.length > 3) {
        taken = true
        await commit([stores.clusters.addUses({ projectId: 'blue', id: host }, [`member:${taker}`])])
      }
      return commit(writes)
    }
    try {
      await ended(lab, await changeFederation(lab, id, 'delete'))
    } finally {
      stores.commit = commit
    }
    expect(taken).toBe(true)
    expect(await clusterOf(lab, host)).toMatchObject({ status: 'CREATE_COMPLETE', uses: [`member:${taker}`] })
  })

  it('stops a host that is still being created', async () => {
    const held = heldHost()
    const { id, host } = await createWithHost(lab)
    await waiting(id)
    const deleting = await changeFederation(lab, id, 'delete')
    held.release()
    await ended(lab, deleting)
    expect(await settled(lab, id)).toBe('gone')
    await hostGone(host)
    expect(callsFor(id)).toEqual([])
  })

  it('lets a host that is to be kept be created to its end', async () => {
    const held = heldHost()
    const { id, host } = await createWithHost(lab, { keep: true })
    await waiting(id)
    await ended(lab, await changeFederation(lab, id, 'delete'))
    held.release()
    const up = await until(async () => {
      const cluster = await clusterOf(lab, host)
      return cluster?.status === 'CREATE_COMPLETE' && cluster
    })
    expect(up.uses).toEqual([])
  })
})

describe('a process that dies', () => {
  it('between commit and launch: the reconciler starts both flows', async () => {
    const { id, host } = await createWithHost(lab, { launched: false })
    await reconcile(lab.ports)
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE' })
    expect(await clusterOf(lab, host)).toMatchObject({ status: 'CREATE_COMPLETE' })
  })

  it('before the launch of the host’s deletion: the reconciler starts it', async () => {
    const { id, host } = await created()
    const { executions } = lab.ports
    const { start } = executions
    executions.start = async (ref, input) => {
      if (ref.flow !== 'cluster-delete') await start(ref, input)
    }
    try {
      await ended(lab, await changeFederation(lab, id, 'delete'))
    } finally {
      executions.start = start
    }
    expect(await clusterOf(lab, host)).toMatchObject({ status: 'DELETE_IN_PROGRESS', uses: [] })
    await reconcile(lab.ports)
    await hostGone(host)
  })
})
