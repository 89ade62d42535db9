import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { memberTokenKey, nextMemberTokenKey } from '../../functions/core/access/credentials.ts'
import { type Membership, operationOf } from '../../functions/core/membership/membership.ts'
import { executionOf } from '../../functions/core/operation/launch.ts'
import { PreflightFailed } from '../../functions/drivers/contract/errors.ts'
import { withMade } from '../../functions/drivers/contract/phase.ts'
import { ApiUnavailable, ConnectFailed, PermissionDenied } from '../../functions/kubernetes/errors.ts'
import { renewDue } from '../../functions/workers/renewals/renew.ts'
import {
  changeFederation,
  createFederation,
  join,
  key,
  membership,
  registered,
  unjoin,
} from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { holdSecondRun } from '../support/flows/hold-run.ts'
import { clusterOf, ended, federationOf, history, messages, settled } from '../support/flows/look.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const created = async (properties: Record<string, string> = {}): Promise<{ id: string; hostId: string }> => {
  const hostId = await registered(lab, 'host')
  const { id } = await createFederation(lab, hostId, { properties })
  await settled(lab, id)
  return { id, hostId }
}

const tokenOf = (it: Membership | undefined) => it && lab.ports.stores.credentials.get(memberTokenKey(it))
const federationKeyless = (federationId: string, clusterId: string) => ({ projectId: 'blue', federationId, clusterId })

describe('member-join', () => {
  it('joins ten members in parallel, one of which fails and is undone', async () => {
    const { id, hostId } = await created()
    const members = await Promise.all(
      Array.from({ length: 10 }, (_, n) => registered(lab, `m${n}`, n === 4 ? { 'memory-fail-step': 'ready' } : {})),
    )
    await join(lab, id, members)
    const federation = await settled(lab, id)
    const bad = members[4] ?? ''
    expect(federation).toMatchObject({ status: 'UPDATE_FAILED', memberIds: members.filter((it) => it !== bad).sort() })
    const failed = await membership(lab, id, bad)
    expect(failed).toMatchObject({ state: 'JoinFailed', reason: 'PlannedFailure', leftovers: [], credential: null })
    expect(federation).toMatchObject({ statusReason: expect.stringContaining(failed?.memberName ?? '?') })
    expect(lab.world.holds(bad)).toEqual([])
    expect((await clusterOf(lab, bad))?.uses).toEqual([])
    expect(lab.world.holds(hostId).filter((it) => it.startsWith('MemoryMember'))).toHaveLength(9)
    const joined = (await history(lab, 'federation', id)).filter((it) => it === 'join success Joined')
    expect(joined).toHaveLength(9)
  })

  it('stores the credential sealed and takes two invocations where nothing has to be waited for', async () => {
    const { id } = await created()
    const member = await registered(lab, 'one')
    const [ref] = await join(lab, id, [member])
    await settled(lab, id)
    const joined = await membership(lab, id, member)
    expect(joined).toMatchObject({ state: 'Ready', credential: { kind: 'token-secret' } })
    expect((await tokenOf(joined))?.reveal()).toMatch(/^memory-token-/)
    expect(lab.stepsOf(ref!)).toEqual(['RunPhase', 'RecordSuccess'])
  })

  it('refuses with every finding of the preflight', async () => {
    const { id } = await created()
    const member = await registered(lab, 'refused')
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const before = driver.checkMember
    driver.checkMember = async () => ({
      findings: [
        { severity: 'error', reason: 'NoRights', message: 'May not create ServiceAccounts.' },
        { severity: 'warning', reason: 'Old', message: 'The version is old.' },
        { severity: 'error', reason: 'Foreign', message: 'Another fedplane is there.' },
      ],
      wouldMake: [],
    })
    try {
      await join(lab, id, [member])
      await settled(lab, id)
    } finally {
      driver.checkMember = before
    }
    expect(await membership(lab, id, member)).toMatchObject({
      state: 'JoinFailed',
      reason: new PreflightFailed('').name,
      message: 'NoRights: May not create ServiceAccounts. Foreign: Another fedplane is there.',
    })
  })

  it('waits where a server asks for patience, and refuses nothing for that', async () => {
    const { id } = await created()
    const member = await registered(lab, 'patient')
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const whole = driver.checkMember
    let asked = 0
    driver.checkMember = async (context) => {
      asked += 1
      const starting = { severity: 'error', reason: 'ApiThrottled', message: 'Starting (429).', passing: true } as const
      return asked < 3 ? { findings: [starting], wouldMake: [] } : whole(context)
    }
    try {
      await join(lab, id, [member])
      await settled(lab, id)
    } finally {
      driver.checkMember = whole
    }
    expect([(await membership(lab, id, member))?.state, asked]).toEqual(['Ready', 3])
  })

  it.each(['check', 'prepare', 'register', 'ready'])('is undone when %s fails', async (step) => {
    const { id, hostId } = await created()
    const member = await registered(lab, 'bad', { 'memory-fail-step': step })
    await join(lab, id, [member])
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', memberIds: [] })
    expect(await membership(lab, id, member)).toMatchObject({ state: 'JoinFailed', reason: 'PlannedFailure' })
    expect(lab.world.holds(member)).toEqual([])
    expect(lab.world.holds(hostId).some((it) => it.startsWith('MemoryMember'))).toBe(false)
  })

  it('ends at its deadline with what the control plane said last', async () => {
    const { id } = await created()
    const member = await registered(lab, 'slow')
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const before = driver.observeMember
    driver.observeMember = async () => {
      lab.clock.advance(30_000)
      return { state: 'not-ready', reason: 'NoLease', message: 'The agent has not called yet.' }
    }
    try {
      await join(lab, id, [member])
      await settled(lab, id)
    } finally {
      driver.observeMember = before
    }
    const failed = await membership(lab, id, member)
    expect(failed).toMatchObject({ state: 'JoinFailed', reason: 'PhaseTimedOut' })
    expect(failed).toMatchObject({ message: expect.stringContaining('NoLease: The agent has not called yet.') })
  })

  it('records what undo could not take back', async () => {
    const { id } = await created()
    const member = await registered(lab, 'half')
    lab.world.before = ({ name, clusterId }) => {
      if (clusterId === member && name === 'registerMember') throw new ConnectFailed('refused')
      if (clusterId === member && name === 'cleanMember') throw new ConnectFailed('refused')
    }
    await join(lab, id, [member])
    await settled(lab, id)
    const failed = await membership(lab, id, member)
    expect(failed).toMatchObject({ state: 'JoinFailed', leftovers: [{ kind: 'ServiceAccount', where: 'member' }] })
  })

  /** A join whose preparation made an account and then failed, in a member that can't be cleaned. */
  const failedHalfWay = async () => {
    const { id } = await created()
    const member = await registered(lab, 'half-prepared')
    lab.world.before = ({ name, clusterId }) => {
      if (clusterId === member && name === 'cleanMember') throw new ConnectFailed('refused')
    }
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const before = driver.prepareMember
    driver.prepareMember = async (context) => {
      const { made = [] } = await before(context)
      throw withMade(new PermissionDenied('May not list Secrets.'), made)
    }
    try {
      await join(lab, id, [member])
      await settled(lab, id)
    } finally {
      driver.prepareMember = before
    }
    return { id, member }
  }

  it('tells what a step had made when it failed, and an unjoin takes it away', async () => {
    const { id, member } = await failedHalfWay()
    expect(await membership(lab, id, member)).toMatchObject({
      state: 'JoinFailed',
      reason: 'PermissionDenied',
      leftovers: [{ kind: 'ServiceAccount', where: 'member' }],
    })
    expect((await messages(lab, 'federation', id)).join()).toContain('This was left behind: ServiceAccount')
    // To take it away the cluster has to stay registered.
    expect((await clusterOf(lab, member))?.uses).toEqual([`member:${id}`])
    expect(await ended(lab, await unjoin(lab, id, member))).toBe('failed')
    expect(await membership(lab, id, member)).toMatchObject({ state: 'UnjoinFailed' })
    lab.world.before = () => undefined
    expect(await ended(lab, await unjoin(lab, id, member))).toBe('succeeded')
    expect(await membership(lab, id, member)).toBeUndefined()
    expect(lab.world.holds(member)).toEqual([])
    expect((await clusterOf(lab, member))?.uses).toEqual([])
  })

  it('is cleaned up when the federation is deleted, with what stays told by force', async () => {
    const { id, member } = await failedHalfWay()
    expect(await ended(lab, await changeFederation(lab, id, 'delete'))).toBe('failed')
    expect(await membership(lab, id, member)).toMatchObject({ state: 'UnjoinFailed', reason: 'ConnectFailed' })
    expect(await ended(lab, await changeFederation(lab, id, 'delete', { force: true }))).toBe('succeeded')
    expect((await messages(lab, 'federation', id)).join()).toMatch(/this was left behind: ServiceAccount/)
    expect((await clusterOf(lab, member))?.uses).toEqual([])
  })

  it('is ended by an unjoin, which leaves nothing behind', async () => {
    const { id, hostId } = await created()
    const member = await registered(lab, 'moved')
    let refusals = 1
    lab.world.before = ({ name }) => {
      if (name === 'registerMember' && refusals-- > 0) throw new ApiUnavailable('503')
    }
    const { arrived, go } = holdSecondRun(lab, 'member-join', `${id}:${member}`)
    const [joinRef] = await join(lab, id, [member])
    await arrived
    expect(lab.world.holds(member)).toHaveLength(1)
    const leaveRef = await unjoin(lab, id, member)
    await ended(lab, leaveRef)
    go()
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [] })
    expect(await lab.engine.describe(joinRef!)).toBe('aborted')
    expect(lab.world.holds(member)).toEqual([])
    expect(lab.world.holds(hostId).some((it) => it.startsWith('MemoryMember'))).toBe(false)
    expect((await clusterOf(lab, member))?.uses).toEqual([])
  })
})

const joined = async (labels: Record<string, string> = {}, properties: Record<string, string> = {}) => {
  const federation = await created(properties)
  const member = await registered(lab, 'member', labels)
  await join(lab, federation.id, [member])
  await settled(lab, federation.id)
  return { ...federation, member }
}

describe('member-unjoin', () => {
  it('leaves nothing behind', async () => {
    const { id, hostId, member } = await joined()
    const before = await membership(lab, id, member)
    expect(await ended(lab, await unjoin(lab, id, member))).toBe('succeeded')
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', statusReason: null, memberIds: [] })
    expect(await membership(lab, id, member)).toBeUndefined()
    expect(lab.world.holds(member)).toEqual([])
    expect(lab.world.holds(hostId).some((it) => it.startsWith('MemoryMember'))).toBe(false)
    expect(await tokenOf(before)).toBeUndefined()
    expect((await clusterOf(lab, member))?.uses).toEqual([])
  })

  it('fails after bounded tries when the member can not be reached, and a second try may succeed', async () => {
    const { id, member } = await joined()
    let tries = 0
    lab.world.before = ({ name }) => {
      if (name !== 'cleanMember') return
      tries += 1
      throw new ConnectFailed('edge refused the connection.')
    }
    expect(await ended(lab, await unjoin(lab, id, member))).toBe('failed')
    expect(tries).toBe(5)
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', memberIds: [member] })
    expect((await federationOf(lab, id)).statusReason).toContain('edge refused the connection.')
    expect(await membership(lab, id, member)).toMatchObject({ state: 'UnjoinFailed', reason: 'ConnectFailed' })
    lab.reset()
    expect(await ended(lab, await unjoin(lab, id, member))).toBe('succeeded')
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [] })
  })

  it.each(['cleanMember', 'deregisterMember'])(
    'passes over %s by force and says what was left behind',
    async (failing) => {
      const { id, member } = await joined()
      lab.world.before = ({ name }) => {
        if (name === failing) throw new ConnectFailed('no route')
      }
      expect(await ended(lab, await unjoin(lab, id, member, { force: true }))).toBe('succeeded')
      const { statusReason, status, memberIds } = await federationOf(lab, id)
      expect({ status, memberIds }).toEqual({ status: 'UPDATE_COMPLETE', memberIds: [] })
      expect(statusReason).toMatch(
        failing === 'cleanMember' ? /ServiceAccount .*stays valid/ : /MemoryMember .* in the host/,
      )
      expect(await messages(lab, 'federation', id)).toContain(statusReason)
      expect((await clusterOf(lab, member))?.uses).toEqual([])
    },
  )

  it.each<['delete' | undefined, string, string]>([
    ['delete', 'cleanMember', 'The workloads that were to be removed may still be in it.'],
    ['delete', 'deregisterMember', 'The workloads that were to be removed may still be in it.'],
    [undefined, 'cleanMember', 'The workloads of the federation stay in it.'],
    [undefined, 'deregisterMember', 'The workloads of the federation stay in it.'],
  ])(
    'says by force what becomes of workloads (%s, %s fails), and how to find them',
    async (workloads, failing, said) => {
      const { id, member } = await joined()
      lab.world.before = ({ name }) => {
        if (name === failing) throw new ConnectFailed('no route')
      }
      const desired = workloads && { workloads }
      expect(await ended(lab, await unjoin(lab, id, member, { force: true, ...desired }))).toBe('succeeded')
      const { statusReason } = await federationOf(lab, id)
      expect(statusReason).toContain(`${said} Look for Deployment workload there.`)
      expect((await messages(lab, 'federation', id)).at(-2)).toContain(said)
    },
  )

  it('tells what a driver says of workloads that the control plane could not take back', async () => {
    const { id, member } = await joined()
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const { deregisterMember } = driver
    let calls = 0
    // Later looks no longer see all.
    const warnings = ['Deployment web may still be in it.', 'Nothing else is.']
    driver.deregisterMember = async (context) => {
      const warning = warnings[calls++]
      return warning === undefined
        ? deregisterMember(context)
        : { done: false, waitingFor: 'Works to go', warnings: [warning] }
    }
    try {
      expect(await ended(lab, await unjoin(lab, id, member, { workloads: 'delete' }))).toBe('succeeded')
    } finally {
      driver.deregisterMember = deregisterMember
    }
    const { status, statusReason } = await federationOf(lab, id)
    expect(status).toBe('UPDATE_COMPLETE')
    expect(statusReason).toMatch(/^member was removed\. Deployment web may still be in it\.$/)
    const { items } = await lab.ports.stores.events.listOf('blue', { kind: 'federation', id }, { limit: 50 })
    expect(items.find(({ action, outcome }) => action === 'unjoin' && outcome === 'success')).toMatchObject({
      reason: 'LeftBehind',
      message: statusReason,
    })
  })

  it('keeps what a driver said of workloads when the member can not be cleaned', async () => {
    const { id, member } = await joined()
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const { deregisterMember } = driver
    driver.deregisterMember = async (context) => ({
      ...(await deregisterMember(context)),
      warnings: ['Deployment web may still be in it.'],
    })
    lab.world.before = ({ name }) => {
      if (name === 'cleanMember') throw new ConnectFailed('no route')
    }
    try {
      expect(await ended(lab, await unjoin(lab, id, member, { workloads: 'delete' }))).toBe('failed')
    } finally {
      driver.deregisterMember = deregisterMember
    }
    expect(await membership(lab, id, member)).toMatchObject({
      state: 'UnjoinFailed',
      message: expect.stringMatching(/^no route\. Deployment web may still be in it\. It still counts as a member/),
    })
  })

  it('ends when the cluster of the member is no longer registered', async () => {
    const { id, member } = await joined()
    const { clusters, commit } = lab.ports.stores
    await commit([clusters.remove((await clusters.get(key(member)))!)])
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const before = driver.cleanMember
    driver.cleanMember = async ({ member: access }) => access.client().then(() => ({ done: true }))
    try {
      expect(await ended(lab, await unjoin(lab, id, member))).toBe('succeeded')
    } finally {
      driver.cleanMember = before
    }
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [] })
    expect((await federationOf(lab, id)).statusReason).toContain('ServiceAccount')
  })
})

describe('credential-rotate', () => {
  const due = async () => {
    const it = await joined({}, { 'memory-token-seconds': '3600' })
    lab.clock.advance(3_000_000)
    return it
  }

  it('renews a credential that is due, once, and stays Ready', async () => {
    const { id, member } = await due()
    const before = await membership(lab, id, member)
    const old = (await tokenOf(before))?.reveal()
    expect(await renewDue(lab.ports)).toBeGreaterThan(0)
    const running = await membership(lab, id, member)
    expect(running).toMatchObject({ state: 'Ready', operation: { kind: 'rotate' } })
    expect(await renewDue(lab.ports)).toBe(0)
    const operation = running && operationOf(running)
    expect(await ended(lab, executionOf('credential-rotate', operation!))).toBe('succeeded')
    const after = await membership(lab, id, member)
    expect(after).toMatchObject({ state: 'Ready', operation: null, since: before?.since })
    expect(after!.credential!.expiresAt! > before!.credential!.expiresAt!).toBe(true)
    expect((await tokenOf(after))?.reveal()).not.toBe(old)
    expect(await lab.ports.stores.credentials.get(nextMemberTokenKey(after!))).toBeUndefined()
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE' })
  })

  it('keeps the old credential when the new one can not be published, and is due again later', async () => {
    const { id, member } = await due()
    const before = await membership(lab, id, member)
    const old = (await tokenOf(before))?.reveal()
    let refusals = 5
    lab.world.before = ({ name, clusterId }) => {
      if (name === 'registerMember' && clusterId === member && refusals-- > 0) throw new ApiUnavailable('503')
    }
    await renewDue(lab.ports)
    const operation = operationOf((await membership(lab, id, member))!)
    expect(await ended(lab, executionOf('credential-rotate', operation!))).toBe('failed')
    const after = await membership(lab, id, member)
    expect(after).toMatchObject({ state: 'Ready', operation: null })
    expect((await tokenOf(after))?.reveal()).toBe(old)
    expect(after!.credential!.renewAfter! > lab.clock.now().toISOString()).toBe(true)
    expect((await history(lab, 'federation', id)).at(-1)).toBe('rotate failure ApiUnavailable')
  })

  it('gives way to an unjoin', async () => {
    const { id, member } = await due()
    const { arrived, go } = holdSecondRun(lab, 'credential-rotate', `${id}:${member}`)
    await renewDue(lab.ports)
    await arrived
    expect(await lab.ports.stores.credentials.get(nextMemberTokenKey(federationKeyless(id, member)))).toBeDefined()
    const ref = await unjoin(lab, id, member)
    expect(await ended(lab, ref)).toBe('succeeded')
    go()
    const gone = federationKeyless(id, member)
    expect(await lab.ports.stores.credentials.get(nextMemberTokenKey(gone))).toBeUndefined()
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [] })
  })
})
