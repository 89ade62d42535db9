import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Federation } from '../../functions/core/federation/federation.ts'
import { operationOf } from '../../functions/core/membership/membership.ts'
import { DEADLINE_SECONDS } from '../../functions/core/operation/deadlines.ts'
import { giveUp } from '../../functions/core/operation/give-up.ts'
import { executionOf } from '../../functions/core/operation/launch.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import {
  changeFederation,
  createCluster,
  createFederation,
  join,
  key,
  membership,
  newCluster,
  registered,
  unjoin,
} from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { holdSecondRun } from '../support/flows/hold-run.ts'
import { clusterOf, ended, federationOf, settled } from '../support/flows/look.ts'
import { gate, until } from '../support/local/engine-lab.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

/** Runs the reconciler until nothing is in progress any more. */
/** What keeps a join waiting. */
const NOT_READY = { state: 'not-ready', reason: 'NoLease', message: 'No call yet.' } as const

const untilQuiet = () =>
  until(async () => {
    const report = await reconcile(lab.ports)
    return report.seen === 0 && report
  })

const dead = () => {
  throw Object.assign(new Error('out of memory'), { name: 'States.Runtime', isCatchable: false })
}

describe('reconcile', () => {
  it('starts an operation that was never launched', async () => {
    const { id, ref } = await createFederation(lab, await registered(lab, 'host'), { launched: false })
    expect(await reconcile(lab.ports)).toMatchObject({ seen: 1, started: 1 })
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(await federationOf(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE' })
    expect(await reconcile(lab.ports)).toMatchObject({ seen: 0 })
  })

  it('says how far past its deadline it found the one that is past it most', async () => {
    const hostId = await registered(lab, 'host')
    const { id } = await createFederation(lab, hostId, { launched: false })
    expect(await reconcile(lab.ports)).toMatchObject({ started: 1, overdueSeconds: 0 })
    await settled(lab, id)
    await createFederation(lab, hostId, { launched: false })
    lab.clock.advance((DEADLINE_SECONDS['federation-create'] + 90) * 1000)
    const { overdueSeconds } = await reconcile(lab.ports)
    // The lab's clock goes on by itself.
    expect(overdueSeconds).toBeGreaterThanOrEqual(90)
    expect(overdueSeconds).toBeLessThan(150)
    await untilQuiet()
  })

  it('leaves a running one alone until its deadline, then stops it and undoes it', async () => {
    const hostId = await registered(lab, 'host')
    const { id, ref } = await createFederation(lab, hostId, { properties: { 'memory-delay-seconds': '9999' } })
    expect(await reconcile(lab.ports)).toMatchObject({ seen: 1, started: 0, undone: 0 })
    const [arrived, go] = [gate(), gate()]
    let late: Promise<unknown> | undefined
    lab.intercept = async ({ step }, run) => {
      if (step !== 'RunPhase') return run()
      arrived.open()
      await go.passed
      late = run()
      return late
    }
    await arrived.passed
    lab.clock.advance(1_900_000)
    expect(await reconcile(lab.ports)).toMatchObject({ undone: 1 })
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED', operation: null })
    expect((await federationOf(lab, id)).statusReason).toMatch(/^OperationTimedOut: /)
    expect(await lab.engine.describe(ref)).toBe('aborted')
    // A step of the stopped execution was under way all the time: it changes nothing any more.
    go.open()
    await until(() => late !== undefined)
    await expect(late).rejects.toMatchObject({ name: 'OperationSuperseded' })
    expect(lab.world.holds(hostId)).toEqual([])
  })

  it('lets no step of an attempt act while the next one works', async () => {
    const { id } = await createFederation(lab, await registered(lab, 'host'), { launched: false })
    const { federations, commit } = lab.ports.stores
    const federation = await federationOf(lab, id)
    const operation = federation.operation!
    await commit([federations.change(federation, { operation: { ...operation, attempt: 2, mode: 'undo' } })])
    const state = { projectId: 'blue', entityId: id, operationId: operation.id, attempt: 1, mode: 'do' }
    const late = lab.handler({ flow: 'federation-create', step: 'RunPhase', state })
    await expect(late).rejects.toMatchObject({ name: 'OperationSuperseded' })
    expect(lab.world.calls).toEqual([])
    await untilQuiet()
  })

  it('undoes what a dead execution left', async () => {
    const { id, hostId } = await created()
    const member = await registered(lab, 'member')
    lab.world.said.set(member, NOT_READY)
    const { arrived, go } = holdSecondRun(lab, 'member-join', `${id}:${member}`)
    const [ref] = await join(lab, id, [member])
    await arrived
    await lab.engine.stop(ref!, 'killed by the test')
    go()
    expect(await reconcile(lab.ports)).toMatchObject({ undone: 1 })
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', memberIds: [] })
    expect(await membership(lab, id, member)).toMatchObject({ state: 'JoinFailed', reason: 'ExecutionDied' })
    expect(lab.world.holds(member)).toEqual([])
    expect(lab.world.holds(hostId).some((it) => it.startsWith('MemoryMember'))).toBe(false)
  })

  it('gives up after three attempts', async () => {
    const { id, ref } = await createFederation(lab, await registered(lab, 'host'), { launched: false })
    lab.intercept = async () => dead()
    await reconcile(lab.ports)
    await ended(lab, ref)
    const did = await until(async () => {
      const report = await reconcile(lab.ports)
      return report.givenUp > 0 && report
    })
    expect(did.givenUp).toBe(1)
    const federation = await federationOf(lab, id)
    expect(federation).toMatchObject({ status: 'CREATE_FAILED', operation: null })
    expect(federation.statusReason).toMatch(/^ExecutionDied: .*Undo was given up/)
    expect(await lab.engine.describe({ ...ref, name: ref.name.replace(/1$/, '4') })).toBe('not-found')
  })

  it('ends a forced unjoin that died, with leftovers', async () => {
    const { id } = await created()
    const member = await registered(lab, 'member')
    await join(lab, id, [member])
    await settled(lab, id)
    lab.intercept = async () => dead()
    await unjoin(lab, id, member, { force: true })
    await untilQuiet()
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [] })
    expect((await federationOf(lab, id)).statusReason).toContain('ServiceAccount')
    expect((await clusterOf(lab, member))?.uses).toEqual([])
  })

  it.each(['create', 'delete'] as const)('ends a cluster %s whose executions die', async (kind) => {
    lab.intercept = async () => dead()
    const cluster = newCluster(lab, 'dies')
    const operation = { ...cluster.operation!, kind }
    const status = `${kind === 'create' ? 'CREATE' : 'DELETE'}_IN_PROGRESS` as const
    await lab.ports.stores.commit([lab.ports.stores.clusters.insert({ ...cluster, operation, status })])
    await untilQuiet()
    expect((await clusterOf(lab, cluster.id))?.status).toBe(`${kind === 'create' ? 'CREATE' : 'DELETE'}_FAILED`)
  })

  it('settles a federation whose last member ended without settling it', async () => {
    const { id } = await created()
    const { federations, commit } = lab.ports.stores
    const federation = await federationOf(lab, id)
    const change = { id: 'c', deadline: federation.createdAt }
    await commit([federations.change(federation, { change, status: 'UPDATE_IN_PROGRESS' })])
    expect(await reconcile(lab.ports)).toMatchObject({ settled: 1 })
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', change: null })
  })

  it('sends on the members that wait although the create is over', async () => {
    const member = await registered(lab, 'waits')
    const { id } = await createFederation(lab, await registered(lab, 'host'), { members: [member], launched: false })
    const { federations, commit } = lab.ports.stores
    const federation = await federationOf(lab, id)
    const about = { reason: 'Created', message: '', observedRevision: 2, changedAt: federation.createdAt }
    await commit([
      federations.change(federation, {
        operation: null,
        conditions: [{ type: 'ControlPlaneReady', status: 'True', ...about }],
      }),
    ])
    await reconcile(lab.ports)
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', memberIds: [member] })
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
  })

  it('starts a member flow that was committed and never launched', async () => {
    const { id } = await created()
    const member = await registered(lab, 'member')
    await join(lab, id, [member])
    await settled(lab, id)
    const ref = await unjoin(lab, id, member, { launched: false })
    expect(await reconcile(lab.ports)).toMatchObject({ started: 1 })
    expect(await ended(lab, ref)).toBe('succeeded')
  })

  it('does no harm when two run at once', async () => {
    const { id, ref } = await createFederation(lab, await registered(lab, 'host'), { launched: false })
    await lab.engine.start(ref, { projectId: 'blue', entityId: id, operationId: 'another', attempt: 1, mode: 'do' })
    await ended(lab, ref)
    await Promise.all([reconcile(lab.ports), reconcile(lab.ports), reconcile(lab.ports)])
    const federation = await federationOf(lab, id)
    if (federation.operation) expect(federation.operation).toMatchObject({ attempt: 2, mode: 'undo' })
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED' })
  })

  it('goes on with the others when one can not be looked after', async () => {
    const { id, ref } = await createFederation(lab, await registered(lab, 'host'), { launched: false })
    const other = await createFederation(lab, await registered(lab, 'host'), { launched: false })
    const { get } = lab.ports.stores.federations
    lab.ports.stores.federations.get = async (at) => {
      if (at.id === id) throw new TypeError('corrupt')
      return get(at)
    }
    try {
      expect(await reconcile(lab.ports)).toMatchObject({ failed: 1, started: 1 })
    } finally {
      lab.ports.stores.federations.get = get
    }
    expect(await ended(lab, other.ref)).toBe('succeeded')
    await reconcile(lab.ports)
    expect(await ended(lab, ref)).toBe('succeeded')
  })
})

const created = async (): Promise<{ id: string; hostId: string }> => {
  const hostId = await registered(lab, 'host')
  const { id } = await createFederation(lab, hostId)
  await settled(lab, id)
  return { id, hostId }
}

describe('giveUp', () => {
  const failure = { reason: 'ExecutionDied', message: 'It died.' }

  it('writes *_FAILED for update and delete of a federation', async () => {
    const { id } = await created()
    for (const [kind, status] of [
      ['update', 'UPDATE_FAILED'],
      ['delete', 'DELETE_FAILED'],
    ] as const) {
      await changeFederation(lab, id, kind, { launched: false, properties: { a: 'b' } })
      const { operation } = (await lab.ports.stores.federations.get(key(id))) as Federation
      await giveUp(
        lab.ports,
        { flow: `federation-${kind}`, projectId: 'blue', entityId: id, operation: operation! },
        failure,
      )
      expect(await federationOf(lab, id)).toMatchObject({
        status,
        statusReason: expect.stringMatching(/^ExecutionDied: It died\./),
        operation: null,
      })
    }
  })

  it('writes nothing when the operation is over', async () => {
    const { id, ref } = await createCluster(lab, 'fine')
    const operation = (await clusterOf(lab, id))?.operation ?? newCluster(lab, 'x').operation!
    await ended(lab, ref)
    const running = { flow: 'cluster-create', projectId: 'blue', entityId: id, operation } as const
    await expect(giveUp(lab.ports, running, failure)).rejects.toMatchObject({ name: 'OperationSuperseded' })
    expect((await clusterOf(lab, id))?.status).toBe('CREATE_COMPLETE')
  })

  it('fails a join with what was made as leftovers', async () => {
    const { id } = await created()
    const member = await registered(lab, 'member')
    lab.world.said.set(member, NOT_READY)
    const { arrived, go } = holdSecondRun(lab, 'member-join', `${id}:${member}`)
    await join(lab, id, [member])
    await arrived
    const operation = operationOf((await membership(lab, id, member))!)!
    await lab.engine.stop(executionOf('member-join', operation), 'test')
    await giveUp(lab.ports, { flow: 'member-join', projectId: 'blue', entityId: `${id}:${member}`, operation }, failure)
    go()
    const failed = await membership(lab, id, member)
    expect(failed).toMatchObject({
      state: 'JoinFailed',
      leftovers: [{ kind: 'ServiceAccount' }, { kind: 'MemoryMember' }],
    })
  })
})
