import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { createCluster, createFederation, membership, registered } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { ended, federationOf, messages, settled } from '../support/flows/look.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const GONE = 'ServiceAccount fedplane/fedplane in the member is gone.'

const sweepMinutes = async (minutes: number): Promise<void> => {
  for (let minute = 0; minute < minutes; minute++) {
    lab.clock.advance(60_000)
    await sweepHealth(lab.ports)
  }
}
const member = async () => {
  const { id, ref } = await createCluster(lab, 'watched')
  await ended(lab, ref)
  const { id: federation } = await createFederation(lab, await registered(lab, 'host'), { members: [id] })
  await settled(lab, federation)
  await sweepMinutes(1)
  return { id, federation }
}
const stateOf = async (federation: string, id: string) => {
  const found = await membership(lab, federation, id)
  return found && { state: found.state, operation: 'operation' in found && found.operation, repair: found.repair }
}
const RESTS = { state: 'Ready', operation: null, repair: undefined }
const rests = (federation: string, id: string) => expect.poll(() => stateOf(federation, id), { timeout: 20_000 })

describe('what was made for a member', () => {
  it('is made again within five minutes when it is gone, and that is told', async () => {
    const { id, federation } = await member()
    lab.world.missing.set(id, [GONE])
    await sweepMinutes(5)
    await rests(federation, id).toEqual(RESTS)
    const told = await messages(lab, 'federation', federation)
    expect(told).toContain(GONE)
    expect(told).toContain(`watched has again what was missing. ${GONE}`)
    const before = told.length
    await sweepMinutes(6)
    expect(await messages(lab, 'federation', federation)).toHaveLength(before)
  })

  it('that can not be made again makes the member Degraded, with why, until it can', async () => {
    const { id, federation } = await member()
    lab.world.missing.set(id, [GONE])
    lab.world.before = ({ name }) => {
      if (name === 'prepareMember') throw new Error('denied by an admission policy')
    }
    await sweepMinutes(5)
    await rests(federation, id).toMatchObject({ state: 'Degraded', operation: null })
    const refused = await membership(lab, federation, id)
    expect(refused).toMatchObject({ reason: 'RepairRefused', message: expect.stringContaining(GONE) })
    const ready = async () =>
      (await federationOf(lab, federation)).conditions.find(({ type }) => type === 'MembersReady')?.status
    await expect.poll(ready, { timeout: 20_000 }).toBe('False')
    lab.world.before = undefined
    await sweepMinutes(4)
    expect((await membership(lab, federation, id))?.state).toBe('Degraded')
    await sweepMinutes(12)
    await rests(federation, id).toEqual(RESTS)
    await expect.poll(ready, { timeout: 20_000 }).toBe('True')
  })
})
