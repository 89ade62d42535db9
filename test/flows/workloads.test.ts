import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operationOf } from '../../functions/core/membership/membership.ts'
import type { MemberContext } from '../../functions/drivers/contract/federation-driver.ts'
import { workloadOf } from '../../functions/drivers/federation/memory/v1/simulate.ts'
import { changeFederation, createFederation, membership, registered, unjoin } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { ended, settled } from '../support/flows/look.ts'
import { gate, until } from '../support/local/engine-lab.ts'

/** What the federation brought into its members stays when they leave, unless it was said that it goes. */

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

/** A federation with members that run something of it. */
const given = async (count = 1, labels: Record<string, string> = {}) => {
  const members = await Promise.all(Array.from({ length: count }, (_, n) => registered(lab, `m${n}`, labels)))
  const { id } = await createFederation(lab, await registered(lab, 'host'), { members })
  await settled(lab, id)
  for (const member of members) lab.world.put(member, workloadOf({ federation: { id } } as MemberContext))
  return { id, members: members as [string, ...string[]] }
}
const hasWorkload = (clusterId: string): boolean => lab.world.holds(clusterId).some((it) => it.startsWith('Deployment'))

describe('member-unjoin', () => {
  it('keeps workloads', async () => {
    const { id, members } = await given()
    expect(await ended(lab, await unjoin(lab, id, members[0]))).toBe('succeeded')
    expect(hasWorkload(members[0])).toBe(true)
  })

  it('removes them when that was asked for', async () => {
    const { id, members } = await given()
    expect(await ended(lab, await unjoin(lab, id, members[0], { workloads: 'delete' }))).toBe('succeeded')
    expect(lab.world.holds(members[0])).toEqual([])
  })

  it('that failed is tried again with the other choice', async () => {
    const { id, members } = await given()
    let isBroken = true
    lab.world.before = ({ name }) => {
      if (name === 'deregisterMember' && isBroken) throw new Error('the control plane is gone')
    }
    await ended(lab, await unjoin(lab, id, members[0]))
    expect(await membership(lab, id, members[0])).toMatchObject({ state: 'UnjoinFailed' })
    isBroken = false
    await ended(lab, await unjoin(lab, id, members[0], { workloads: 'delete' }))
    expect(lab.world.holds(members[0])).toEqual([])
  })
})

describe('federation-delete', () => {
  it('keeps the workloads of all members', async () => {
    const { id, members } = await given(2)
    await ended(lab, await changeFederation(lab, id, 'delete'))
    expect(members.map(hasWorkload)).toEqual([true, true])
  })

  it('passes the request to remove them on to every unjoin', async () => {
    const { id, members } = await given(2)
    await ended(lab, await changeFederation(lab, id, 'delete', { workloads: 'delete' }))
    expect(await settled(lab, id)).toBe('gone')
    expect(members.map(hasWorkload)).toEqual([false, false])
  })

  it('replaces an unjoin that runs and would keep them', async () => {
    const { id, members } = await given()
    const [arrived, go] = [gate(), gate()]
    lab.world.before = async ({ name, federationId }) => {
      if (name !== 'deregisterMember' || federationId !== id) return
      arrived.open()
      await go.passed
    }
    const first = await unjoin(lab, id, members[0])
    await arrived.passed
    const removal = await changeFederation(lab, id, 'delete', { workloads: 'delete' })
    await until(async () => {
      const leaving = await membership(lab, id, members[0])
      return leaving !== undefined && operationOf(leaving)?.workloads === 'delete'
    })
    go.open()
    expect(await ended(lab, removal)).toBe('succeeded')
    expect(await lab.engine.describe(first)).toMatch(/aborted|succeeded/)
    expect(hasWorkload(members[0])).toBe(false)
  })
})
