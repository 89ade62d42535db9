import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Flow } from '../../functions/core/operation/operation.ts'
import { StoreBusy } from '../../functions/store/errors.ts'
import { changeFederation, createFederation, join, membership, registered, unjoin } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { settled } from '../support/flows/look.ts'

/** Between the commit of an entity's end and what follows it (settling, launching): the step that is run again must do the rest. */

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

/** In the first run of a step, the read that settling and launching begin with fails. */
const failOnceAfterEnd = (dying: string, of: Flow): { died: () => boolean } => {
  const { memberships } = lab.ports.stores
  const { listOf } = memberships
  let died = false
  lab.intercept = async ({ flow, step }, run) => {
    if (flow !== of || step !== dying || died) return run()
    memberships.listOf = async () => {
      died = true
      throw new StoreBusy('The database is busy.')
    }
    return run().finally(() => {
      memberships.listOf = listOf
    })
  }
  return { died: () => died }
}

const created = async (): Promise<string> => {
  const { id } = await createFederation(lab, await registered(lab, 'host'))
  await settled(lab, id)
  return id
}

describe('a step that died after its commit', () => {
  it('RecordSuccess of a join: settles the federation', async () => {
    const id = await created()
    const crash = failOnceAfterEnd('RecordSuccess', 'member-join')
    await join(lab, id, [await registered(lab, 'member')])
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE' })
    expect(crash.died()).toBe(true)
  })

  it('RecordFailure of a join: settles the federation', async () => {
    const id = await created()
    const crash = failOnceAfterEnd('RecordFailure', 'member-join')
    await join(lab, id, [await registered(lab, 'bad', { 'memory-fail-step': 'ready' })])
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_FAILED' })
    expect(crash.died()).toBe(true)
  })

  it('RecordSuccess of an unjoin: settles the federation', async () => {
    const id = await created()
    const member = await registered(lab, 'member')
    await join(lab, id, [member])
    await settled(lab, id)
    const crash = failOnceAfterEnd('RecordSuccess', 'member-unjoin')
    await unjoin(lab, id, member)
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [] })
    expect(crash.died()).toBe(true)
  })

  it('RecordFailure of an unjoin: settles the federation', async () => {
    const id = await created()
    const member = await registered(lab, 'bad', { 'memory-fail-step': 'clean' })
    await join(lab, id, [member])
    await settled(lab, id)
    const crash = failOnceAfterEnd('RecordFailure', 'member-unjoin')
    await unjoin(lab, id, member)
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', memberIds: [member] })
    expect(crash.died()).toBe(true)
  })

  it.each([
    ['RecordSuccess', { a: 'b' }, 'UPDATE_COMPLETE'],
    ['RecordFailure', { 'memory-fail-phase': 'properties' }, 'UPDATE_FAILED'],
  ])('%s of an update: settles the federation', async (step, properties, status) => {
    const id = await created()
    const crash = failOnceAfterEnd(step, 'federation-update')
    await changeFederation(lab, id, 'update', { properties: properties as Record<string, string> })
    expect(await settled(lab, id)).toMatchObject({ status })
    expect(crash.died()).toBe(true)
  })

  it('RecordSuccess of a create: sends the waiting members on', async () => {
    const crash = failOnceAfterEnd('RecordSuccess', 'federation-create')
    const member = await registered(lab, 'member')
    const { id } = await createFederation(lab, await registered(lab, 'host'), { members: [member] })
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', memberIds: [member] })
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
    expect(crash.died()).toBe(true)
  })
})
