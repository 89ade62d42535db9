import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { driverSecretKey } from '../../functions/core/access/credentials.ts'
import { CERTIFICATES_CURRENT } from '../../functions/core/federation/federation.ts'
import { rotateFederation } from '../../functions/core/federation/rotate-federation.ts'
import { giveUp } from '../../functions/core/operation/give-up.ts'
import { executionOf } from '../../functions/core/operation/launch.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { renewDue } from '../../functions/workers/renewals/renew.ts'
import { changeFederation, createFederation, join, key, membership, registered } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab, type StepCall } from '../support/flows/flow-lab.ts'
import { ended, federationOf, history, latestOf, messages, settled } from '../support/flows/look.ts'
import { gate, until } from '../support/local/engine-lab.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const CERTIFICATES = { 'memory-certificate-seconds': '3600' }

/** A federation whose certificates are due. */
const due = async (properties: Record<string, string> = {}) => {
  const { id } = await createFederation(lab, await registered(lab, 'host'), {
    properties: { ...CERTIFICATES, ...properties },
  })
  await settled(lab, id)
  lab.clock.advance(2_500_000)
  return id
}
const running = async (id: string) => {
  const { operation } = await federationOf(lab, id)
  if (operation === null) throw new Error('nothing runs')
  return operation
}
const rotated = async (id: string) => {
  await renewDue(lab.ports)
  return ended(lab, await latestOf(lab, 'federation-rotate', id))
}
const serial = async (id: string): Promise<number> => {
  const secret = await lab.ports.stores.credentials.get(driverSecretKey(key(id) as never, 'certificates'))
  return JSON.parse(secret?.reveal() ?? '{}').serial
}
const current = async (id: string) =>
  (await federationOf(lab, id)).conditions.find(({ type }) => type === CERTIFICATES_CURRENT)
const now = () => lab.clock.now().toISOString()

/** True for steps of this federation's rotation: the clock makes those of other tests due as well. */
const isRotation = ({ flow, event }: StepCall, id: string): boolean =>
  flow === 'federation-rotate' && (event as { state: { entityId: string } }).state.entityId === id

/** Holds the first RunPhase of a rotation back. */
const held = (id: string) => {
  const [arrived, go] = [gate(), gate()]
  lab.intercept = async (call, run) => {
    if (!isRotation(call, id) || call.step !== 'RunPhase') return run()
    arrived.open()
    await go.passed
    return run()
  }
  return { arrived: arrived.passed, go: go.open }
}

describe('federation-rotate', () => {
  it('renews certificates that are due, once, and leaves the status as it is', async () => {
    const id = await due()
    const before = await federationOf(lab, id)
    expect([await serial(id), before.renewAfter !== null && before.renewAfter <= now()]).toEqual([1, true])
    const { arrived, go } = held(id)
    expect(await renewDue(lab.ports)).toBeGreaterThan(0)
    await arrived
    expect(await federationOf(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', operation: { kind: 'rotate' } })
    expect(await renewDue(lab.ports)).toBe(0)
    go()
    expect(await ended(lab, await latestOf(lab, 'federation-rotate', id))).toBe('succeeded')

    const after = await federationOf(lab, id)
    expect(after).toMatchObject({ status: 'CREATE_COMPLETE', statusReason: null, operation: null, change: null })
    expect([await serial(id), after.renewAfter !== null && after.renewAfter > now()]).toEqual([2, true])
    expect(await current(id)).toMatchObject({ status: 'True', reason: 'Renewed' })
    expect((await history(lab, 'federation', id)).slice(-2)).toEqual([
      'rotate pending RenewalDue',
      'rotate success Renewed',
    ])
    expect(await renewDue(lab.ports)).toBe(0)
  })

  it('is not due before its time, nor without a date, nor before the control plane came up', async () => {
    const id = await due()
    lab.clock.advance(-2_000_000)
    const { id: never } = await createFederation(lab, await registered(lab, 'host'))
    await settled(lab, never)
    const { id: failed } = await createFederation(lab, await registered(lab, 'host'), {
      properties: { ...CERTIFICATES, 'memory-fail-phase': 'verify' },
    })
    await settled(lab, failed)
    expect(await renewDue(lab.ports)).toBe(0)
    lab.clock.advance(2_000_000)
    expect(await rotated(id)).toBe('succeeded')
    expect((await federationOf(lab, never)).operation).toBeNull()
    expect((await federationOf(lab, failed)).operation).toBeNull()
  })

  it('is not due for a federation whose delete failed: what is left of it is to go', async () => {
    const id = await due()
    const { federations, commit } = lab.ports.stores
    await commit([federations.change(await federationOf(lab, id), { status: 'DELETE_FAILED' })])
    // Past the index, which may not know it yet.
    expect(await rotateFederation(lab.ports, key(id), now())).toBe(false)
    expect(await history(lab, 'federation', id)).not.toContain('rotate pending RenewalDue')
  })

  it('that fails is a condition and an event, and due again in an hour; the federation stays whole', async () => {
    const id = await due({ 'memory-fail-phase': 'certificates' })
    expect(await rotated(id)).toBe('failed')
    const after = await federationOf(lab, id)
    expect(after).toMatchObject({ status: 'CREATE_COMPLETE', statusReason: null, operation: null })
    expect(Date.parse(after.renewAfter ?? '') - lab.clock.now().getTime()).toBe(3_600_000)
    expect(await serial(id)).toBe(1)
    expect(await current(id)).toMatchObject({ status: 'False', reason: 'PlannedFailure' })
    expect((await history(lab, 'federation', id)).at(-1)).toBe('rotate failure PlannedFailure')
    const member = await registered(lab, 'member')
    await join(lab, id, [member])
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [member] })
  })

  it('tells what it waits for in its condition', async () => {
    const id = await due()
    const { rotate } = lab.ports.drivers.federation.resolve('memory@1').phases
    const [phase] = rotate
    if (phase === undefined) throw new Error('memory@1 has no plan for it')
    const { ensure } = phase
    let looks = 0
    phase.ensure = async (context) =>
      context.federation.id === id && looks++ === 0
        ? { done: false, waitingFor: 'the API server to restart' }
        : ensure(context)
    const seen: unknown[] = []
    lab.intercept = async (call, run) => {
      const result = await run()
      if (isRotation(call, id) && call.step === 'RunPhase') seen.push(await current(id))
      return result
    }
    expect(await rotated(id)).toBe('succeeded')
    phase.ensure = ensure
    expect(seen[0]).toMatchObject({ status: 'Unknown', reason: 'Renewing' })
    expect(seen[0]).toMatchObject({ message: '1/1 certificates: waiting for the API server to restart' })
    expect((await federationOf(lab, id)).statusReason).toBeNull()
  })

  it('fails when the driver renewed nothing, rather than beginning again at once', async () => {
    const id = await due()
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const { rotate } = driver.phases
    driver.phases = { ...driver.phases, rotate: [] }
    expect(await rotated(id)).toBe('failed')
    driver.phases = { ...driver.phases, rotate }
    expect(await current(id)).toMatchObject({ status: 'False', reason: 'NothingToRenew' })
    expect(await renewDue(lab.ports)).toBe(0)
  })

  it('that can not read what it renews tells what to do', async () => {
    const id = await due()
    const { credentials, commit } = lab.ports.stores
    await commit([credentials.remove(driverSecretKey(key(id) as never, 'certificates'))])
    expect(await rotated(id)).toBe('failed')
    expect(await current(id)).toMatchObject({ reason: 'CredentialMissing' })
    expect((await messages(lab, 'federation', id)).at(-1)).toMatch(/certificates.*restore it, or delete.*force=true/)
  })
})

describe('during a federation-rotate', () => {
  it('members join, and the federation settles without waiting for it', async () => {
    const id = await due()
    const { arrived, go } = held(id)
    await renewDue(lab.ports)
    const operation = await running(id)
    await arrived
    const member = await registered(lab, 'member')
    await join(lab, id, [member])
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', change: null, operation })
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
    go()
    expect(await ended(lab, executionOf('federation-rotate', operation))).toBe('succeeded')
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', operation: null })
    expect(await serial(id)).toBe(2)
  })

  it('a delete takes over, and nothing of the driver is left in the store', async () => {
    const id = await due()
    const { arrived, go } = held(id)
    await renewDue(lab.ports)
    const operation = await running(id)
    await arrived
    const removal = await changeFederation(lab, id, 'delete')
    expect(await ended(lab, removal)).toBe('succeeded')
    go()
    await until(async () => (await lab.engine.describe(executionOf('federation-rotate', operation))) !== 'running')
    expect(await settled(lab, id)).toBe('gone')
    expect(await serial(id)).toBeUndefined()
  })

  it('a dead execution is given up by the reconciler, and the status stays', async () => {
    const id = await due()
    lab.intercept = async (call, run) => {
      if (isRotation(call, id))
        throw Object.assign(new Error('out of memory'), { name: 'States.Runtime', isCatchable: false })
      return run()
    }
    await rotated(id)
    await until(async () => (await reconcile(lab.ports)).seen === 0)
    expect(await federationOf(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', operation: null })
    expect(await current(id)).toMatchObject({ status: 'False', reason: 'ExecutionDied' })
  })

  it('giving up ends it without more undoing', async () => {
    const id = await due()
    held(id)
    await renewDue(lab.ports)
    const operation = await running(id)
    const entity = { flow: 'federation-rotate', projectId: 'blue', entityId: id, operation } as const
    await giveUp(lab.ports, entity, { reason: 'ExecutionDied', message: 'It died.' })
    expect(await federationOf(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', operation: null })
    expect(await current(id)).toMatchObject({ status: 'False', message: 'It died.' })
    await lab.engine.stop(executionOf('federation-rotate', operation), 'over')
  })
})
