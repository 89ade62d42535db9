import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leave } from '../../../functions/core/membership/begin-operation.ts'
import type { Membership, UnjoinFailedMembership } from '../../../functions/core/membership/membership.ts'
import type { ExecutionRef } from '../../../functions/core/operation/operation.ts'
import type { Ports } from '../../../functions/core/ports.ts'
import { keptLog } from '../../support/local/engine-lab.ts'
import { createTestStores, type TestStores } from '../../support/store/database.ts'
import { readyOf, sampleId, sampleJoining } from '../../support/store/samples.ts'

let stores: TestStores
beforeAll(async () => {
  stores = await createTestStores()
})
afterAll(() => stores.dispose())

const given = async (membership: Membership) => {
  const started: ExecutionRef[] = []
  await stores.commit([stores.memberships.insert(membership)])
  const executions = { start: async (ref: ExecutionRef) => void started.push(ref) }
  const ports = {
    stores,
    executions,
    clock: { now: () => new Date() },
    newId: sampleId,
    log: keptLog(),
  } as unknown as Ports
  return {
    started,
    leave: (request: { changeId: string; force: boolean }) => leave(ports, membership, request),
    read: () => stores.memberships.get(membership),
  }
}

const unjoinFailed = (changeId: string): UnjoinFailedMembership => {
  const { operation: _, ...base } = readyOf(sampleJoining({ changeId }))
  return { ...base, state: 'UnjoinFailed', reason: 'ConnectFailed', message: 'No route.' }
}

const REQUEST = { changeId: 'run-2', force: false }

describe('leave', () => {
  it('turns a member into a leaving one and launches its unjoin', async () => {
    const it = await given(readyOf(sampleJoining()))
    await it.leave(REQUEST)
    expect(await it.read()).toMatchObject({
      state: 'Leaving',
      changeId: 'run-2',
      operation: { kind: 'unjoin', supersedes: [] },
    })
    expect(it.started).toMatchObject([{ flow: 'member-unjoin' }])
  })

  it('supersedes a join that runs, with what that had superseded', async () => {
    const joining = sampleJoining()
    const it = await given(joining)
    await it.leave(REQUEST)
    const left = await it.read()
    const name = `${joining.operation.id}-1`
    const supersedes = [...joining.operation.supersedes, { flow: 'member-join', name }]
    expect(left).toMatchObject({ state: 'Leaving', operation: { supersedes } })
  })

  it('leaves a leaving one alone, unless this request is a stronger one', async () => {
    const it = await given(readyOf(sampleJoining()))
    await it.leave(REQUEST)
    const first = await it.read()
    await it.leave(REQUEST)
    expect(await it.read()).toEqual(first)
    await it.leave({ ...REQUEST, force: true })
    expect(await it.read()).toMatchObject({ state: 'Leaving', operation: { force: true } })
  })

  it('takes a failure of this very run for an answer, and tries again one of an earlier run', async () => {
    const here = await given(unjoinFailed('run-2'))
    await here.leave(REQUEST)
    expect(await here.read()).toMatchObject({ state: 'UnjoinFailed', revision: 1 })
    const earlier = await given(unjoinFailed('run-1'))
    await earlier.leave(REQUEST)
    expect(await earlier.read()).toMatchObject({ state: 'Leaving' })
  })

  it('removes at once what never got in', async () => {
    const { operation: _, ...base } = sampleJoining()
    const it = await given({ ...base, state: 'Waiting' })
    await it.leave(REQUEST)
    expect(await it.read()).toBeUndefined()
    expect(it.started).toEqual([])
  })
})
