import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { revokeCredential } from '../../functions/core/membership/begin-operation.ts'
import { operationOf } from '../../functions/core/membership/membership.ts'
import { executionOf } from '../../functions/core/operation/launch.ts'
import { ApiUnavailable } from '../../functions/kubernetes/errors.ts'
import { renewDue } from '../../functions/workers/renewals/renew.ts'
import { createFederation, membership, registered } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { ended, settled } from '../support/flows/look.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const MINUTE_MS = 60_000

/** A member whose tokens live so long. */
const memberWith = async (seconds: number) => {
  const member = await registered(lab, 'member')
  const { id } = await createFederation(lab, await registered(lab, 'host'), {
    members: [member],
    properties: { 'memory-token-seconds': String(seconds) },
  })
  await settled(lab, id)
  return { id, member }
}

/** Minutes, from 0 on, in which a renewal began. Each ends before the next minute. */
const renewalsIn = async (minutes: number, { id, member }: { id: string; member: string }): Promise<number[]> => {
  const begun: number[] = []
  for (let minute = 0; minute < minutes; minute++) {
    lab.clock.advance(MINUTE_MS)
    await renewDue(lab.ports)
    const operation = operationOf((await membership(lab, id, member))!)
    if (operation === null) continue
    begun.push(minute)
    await ended(lab, executionOf('credential-rotate', operation))
  }
  return begun
}

const gaps = (minutes: readonly number[]): number[] =>
  minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0))

describe('renewDue', () => {
  it('does not renew each minute what a member lets end at once', async () => {
    const begun = await renewalsIn(21, await memberWith(1))
    expect(begun.length).toBeGreaterThan(1)
    expect(Math.min(...gaps(begun))).toBeGreaterThanOrEqual(5)
  })

  it('waits longer after each renewal that fails, an hour at most, and not after one that does not', async () => {
    const seen = await memberWith(600)
    let isDown = true
    lab.world.before = ({ name }) => {
      if (name === 'registerMember' && isDown) throw new ApiUnavailable('503')
    }
    expect(gaps(await renewalsIn(140, seen))).toEqual([10, 20, 40, 60])
    expect(await membership(lab, seen.id, seen.member)).toMatchObject({ state: 'Ready', credential: { failures: 5 } })
    isDown = false
    expect(await renewalsIn(60, seen)).not.toEqual([])
    expect((await membership(lab, seen.id, seen.member))?.credential).not.toHaveProperty('failures')
  })
})

describe('a rotation on request', () => {
  const begin = async (seen: { id: string; member: string }) => {
    await revokeCredential(lab.ports, (await membership(lab, seen.id, seen.member))!)
    const operation = operationOf((await membership(lab, seen.id, seen.member))!)!
    return executionOf('credential-rotate', operation)
  }
  const acts = (): string[] => lab.world.calls.map(({ name }) => name)

  it('makes all of before worthless first, then renews and publishes', async () => {
    const seen = await memberWith(3600)
    const before = await membership(lab, seen.id, seen.member)
    lab.world.calls.length = 0
    lab.clock.advance(1000)
    expect(await ended(lab, await begin(seen))).toBe('succeeded')
    expect(acts()).toEqual(['revokeMember', 'prepareMember', 'registerMember'])
    const after = await membership(lab, seen.id, seen.member)
    expect(after).toMatchObject({ state: 'Ready', operation: null })
    expect(after?.credential?.expiresAt).not.toBe(before?.credential?.expiresAt)
  })

  it('is refused while one runs, and of what leaves', async () => {
    const seen = await memberWith(3600)
    lab.world.before = ({ name }) => {
      if (name === 'revokeMember') throw new ApiUnavailable('503')
    }
    const ref = await begin(seen)
    await expect(begin(seen)).rejects.toMatchObject({ name: 'StateConflict', message: /being renewed/ })
    await ended(lab, ref)
  })

  it('that fails after the revocation is made good by the next renewal', async () => {
    const seen = await memberWith(3600)
    lab.world.before = ({ name }) => {
      if (name === 'registerMember') throw new ApiUnavailable('503')
    }
    expect(await ended(lab, await begin(seen))).toBe('failed')
    expect(acts().filter((name) => name === 'registerMember').length).toBeGreaterThan(1)
    lab.world.before = () => undefined
    expect(await renewalsIn(12, seen)).toEqual([9])
    expect((await membership(lab, seen.id, seen.member))?.credential).not.toHaveProperty('failures')
  })
})
