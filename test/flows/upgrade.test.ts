import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ExecutionRef } from '../../functions/core/operation/operation.ts'
import { createFederation, join, membership, registered, unjoin } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { ended, settled } from '../support/flows/look.ts'
import { gate } from '../support/local/engine-lab.ts'

/** Executions that a release before the one state machine had begun, as they lie in the table of local mode. */

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

/** Begins something in a process that never comes back, and leaves its execution where the other release had it. */
const leftAt = async (at: string, begin: () => Promise<ExecutionRef>, progress: Record<string, unknown>) => {
  const [arrived, never] = [gate(), gate()]
  lab.intercept = async () => {
    arrived.open()
    await never.passed
  }
  const ref = await begin()
  await arrived.passed
  const record = await lab.table.get(ref)
  const data = JSON.stringify({ ...JSON.parse(record?.input ?? '{}'), result: { progress } })
  await lab.table.checkpoint(ref, { at, data })
  return ref
}

const plain = async () => {
  const { id } = await createFederation(lab, await registered(lab, 'host'))
  await settled(lab, id)
  return { id, member: await registered(lab, 'member') }
}

describe('an execution of the release before', () => {
  it.each(['CheckMember', 'PrepareMember', 'WaitForRegistration', 'AwaitReady', 'FinishJoin', 'UndoJoin'])(
    'that was joining a member (%s) ends',
    async (at) => {
      const { id, member } = await plain()
      const begin = async () => (await join(lab, id, [member]))[0]!
      const ref = await leftAt(at, begin, { done: false, waitSeconds: 5, tries: { host: 1, member: 0 } })
      expect(await lab.nextEngine().resume()).toBeGreaterThan(0)
      expect(await ended(lab, ref)).toBe('succeeded')
      expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [member] })
      expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready', operation: null })
    },
  )

  it.each(['DeregisterMember', 'CleanMember', 'FinishUnjoin'])('that was unjoining one (%s) ends', async (at) => {
    const { id, member } = await plain()
    await join(lab, id, [member])
    await settled(lab, id)
    const ref = await leftAt(at, () => unjoin(lab, id, member), { done: true, leftovers: [], warnings: ['Web stays.'] })
    expect(await lab.nextEngine().resume()).toBeGreaterThan(0)
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [] })
    expect(lab.world.holds(member)).toEqual([])
  })

  it.each([
    ['RunPhase', 'CREATE_COMPLETE', 'succeeded'],
    ['WaitForPhase', 'CREATE_COMPLETE', 'succeeded'],
    ['UndoPhase', 'CREATE_FAILED', 'failed'],
    ['RecordFailure', 'CREATE_FAILED', 'failed'],
  ])('that was creating a federation (%s) ends as %s', async (at, status, end) => {
    const host = await registered(lab, 'host')
    let id = ''
    const begin = async () => {
      const made = await createFederation(lab, host)
      id = made.id
      return made.ref
    }
    const ref = await leftAt(at, begin, { phase: 'control-plane', deadline: null, tries: 0, notes: [], waitSeconds: 1 })
    expect(await lab.nextEngine().resume()).toBeGreaterThan(0)
    expect(await ended(lab, ref)).toBe(end)
    expect(await settled(lab, id)).toMatchObject({ status })
  })
})
