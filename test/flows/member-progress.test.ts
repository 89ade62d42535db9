import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { progressOf } from '../../functions/core/membership/membership.ts'
import { ConnectFailed } from '../../functions/kubernetes/errors.ts'
import {
  changeFederation,
  createCluster,
  createFederation,
  join,
  membership,
  registered,
  unjoin,
} from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { holdSecondRun } from '../support/flows/hold-run.ts'
import { clusterOf, ended, federationOf, messages, settled } from '../support/flows/look.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const FAULT = 'GET /version of edge failed: the connection was refused; check address, port and firewall.'

/** What a reader finds before each act of the federation's driver and after each step, each text once in a row. */
const watch = (read: () => Promise<string | null>): (string | null)[] => {
  const seen: (string | null)[] = []
  const note = async () => {
    const now = await read()
    if (seen.at(-1) !== now) seen.push(now)
  }
  const { before } = lab.world
  lab.world.before = async (call) => {
    await note()
    await before?.(call)
  }
  lab.intercept = (_, run) => run().finally(note)
  return seen
}
const watchMember = (id: string, cluster: string) =>
  watch(async () => {
    const found = await membership(lab, id, cluster)
    return found ? progressOf(found) : null
  })
const failTimes = (step: string, times: number) => {
  let left = times
  lab.world.before = ({ name }) => {
    if (name === step && left-- > 0) throw new ConnectFailed(FAULT)
  }
}
const created = async (members: string[] = []) => {
  const { id } = await createFederation(lab, await registered(lab, 'host'), { members })
  await settled(lab, id)
  return id
}

describe('progress of a member', () => {
  it('says what a join waits for, until that is over, and what of it is tried again', async () => {
    const id = await created()
    const member = await registered(lab, 'slow')
    failTimes('prepareMember', 2)
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const { observeMember } = driver
    let looks = 0
    driver.observeMember = async (context) => {
      looks += 1
      return looks > 2 ? observeMember(context) : { state: 'not-ready', reason: 'NoLease', message: 'No call yet.' }
    }
    const seen = watchMember(id, member)
    try {
      await join(lab, id, [member])
      await settled(lab, id)
    } finally {
      driver.observeMember = observeMember
    }
    expect(seen).toEqual([
      null,
      `2/4 preparing: trying again: ${FAULT.slice(0, -1)}`,
      null,
      '4/4 becoming ready: waiting for NoLease: No call yet',
      null,
    ])
    expect(await membership(lab, id, member)).not.toHaveProperty('progress')
  })

  it('is written only when its text changes, and never by a join that has not to wait', async () => {
    const id = await created()
    const [slow, quick] = [await registered(lab, 'slow'), await registered(lab, 'quick')]
    await join(lab, id, [quick])
    await settled(lab, id)
    const unwaited = await membership(lab, id, quick)
    failTimes('checkMember', 3)
    await join(lab, id, [slow])
    await settled(lab, id)
    // One that tells the fault, which is the same three times, and one that takes it back.
    expect((await membership(lab, id, slow))?.revision).toBe((unwaited?.revision ?? 0) + 2)
  })

  it("is in the execution's history: which phase waits, its position and what for", async () => {
    const id = await created()
    const member = await registered(lab, 'slow')
    lab.world.said.set(member, { state: 'not-ready', reason: 'NoLease', message: 'No call yet.' })
    const { arrived, go } = holdSecondRun(lab, 'member-join', `${id}:${member}`)
    const [ref] = await join(lab, id, [member])
    await arrived
    const execution = (await lab.engine.list()).find(({ name }) => name === ref?.name)
    const { progress } = JSON.parse(execution?.data ?? '{}').result
    expect(progress).toMatchObject({ phase: 'ready', position: 4, of: 4, waiting: 'NoLease: No call yet.' })
    expect(execution?.data).not.toContain('memory-token-')
    lab.world.said.delete(member)
    go()
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE' })
  })

  it('says why an unjoin tries again', async () => {
    const member = await registered(lab, 'gone')
    const id = await created([member])
    failTimes('cleanMember', 1)
    const seen = watchMember(id, member)
    await ended(lab, await unjoin(lab, id, member))
    expect(seen).toContain(`2/2 cleaning: trying again: ${FAULT.slice(0, -1)}`)
  })
})

describe('an unjoin that failed', () => {
  const WAY_OUT = /remove it again; or remove it with \?force=true, which says what stays behind\.$/

  it('tells the way out', async () => {
    const member = await registered(lab, 'dead')
    const id = await created([member])
    failTimes('cleanMember', 99)
    expect(await ended(lab, await unjoin(lab, id, member))).toBe('failed')
    const { statusReason } = await federationOf(lab, id)
    expect(statusReason).toContain(FAULT)
    expect(statusReason).toMatch(WAY_OUT)
    expect(await membership(lab, id, member)).toMatchObject({ message: expect.stringMatching(WAY_OUT) })
    expect((await messages(lab, 'federation', id)).filter((it) => WAY_OUT.test(it)).length).toBeGreaterThan(0)
  })

  it('leaves that to the delete when its federation is being deleted', async () => {
    const member = await registered(lab, 'dead')
    const id = await created([member])
    failTimes('cleanMember', 99)
    expect(await ended(lab, await changeFederation(lab, id, 'delete'))).toBe('failed')
    const { statusReason } = await federationOf(lab, id)
    expect(statusReason).toContain('delete again, or delete with ?force=true, which')
    expect(statusReason).not.toContain('remove it')
  })
})

describe('progress of a phase that fails', () => {
  it('says what is tried again, for a registration whose server does not answer', async () => {
    let left = 2
    lab.clusters.before = ({ name }) => {
      if (name === 'ensure:identify' && left-- > 0) throw new ConnectFailed(FAULT)
    }
    let id = ''
    const seen = watch(async () => (await clusterOf(lab, id))?.statusReason ?? null)
    const made = await createCluster(lab, 'sleepy')
    id = made.id
    expect(await ended(lab, made.ref)).toBe('succeeded')
    expect(seen.filter((it) => it !== null)).toEqual([
      expect.stringMatching(/^\d\/\d identify: trying again: GET \/version of edge failed: .* firewall$/),
    ])
  })
})
