import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ClusterGone } from '../../functions/core/errors.ts'
import { CONTROL_PLANE_READY, MEMBERS_READY } from '../../functions/core/federation/federation.ts'
import { newOperation } from '../../functions/core/operation/launch.ts'
import { sweepControlPlanes } from '../../functions/workers/health-sweep/control-planes.ts'
import { isResting } from '../../functions/workers/health-sweep/members.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { isMinuteOf } from '../../functions/workers/health-sweep/verdict.ts'
import { createCluster, createFederation, join, key, membership, registered } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { ended, federationOf, history, messages, settled } from '../support/flows/look.ts'
import { until } from '../support/local/engine-lab.ts'

/** The sweep at the control planes of federations: rule F23 of their drivers, and what becomes of what they say. */

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => {
  lab.reset()
  lab.world.faults.clear()
  lab.world.said.clear()
})

/** Whole sweeps, of clusters too, one each minute. */
const sweepMinutes = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    lab.clock.advance(60_000)
    await sweepHealth(lab.ports)
  }
}
const looksAt = (id: string): number =>
  lab.world.calls.filter(({ name, federationId }) => name === 'observe' && federationId === id).length
/** Checks control planes each minute. */
const controlPlaneMinutes = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    lab.clock.advance(60_000)
    await sweepControlPlanes(lab.ports)
  }
}
/** Checks control planes, at so many of the federation's own minutes. */
const look = async (id: string, times = 1) => {
  for (let time = 0; time < times; time++) {
    do lab.clock.advance(60_000)
    while (!isMinuteOf(id, lab.clock.now()))
    await sweepControlPlanes(lab.ports)
  }
}

/** A federation with one member, all well and checked. */
const given = async () => {
  const member = await registered(lab, 'watched')
  const { id } = await createFederation(lab, await registered(lab, 'host'), { members: [member] })
  await settled(lab, id)
  await look(id)
  return { id, member }
}
const condition = async (id: string, type: string) =>
  (await federationOf(lab, id)).conditions.find((it) => it.type === type)
const FAULT = { reason: 'EtcdDown', message: 'No etcd member is ready.' }
const NOT_READY = { state: 'not-ready', reason: 'CredentialRejected', message: 'The token is refused.' } as const

describe('the condition ControlPlaneReady', () => {
  it('is False with the reason after two bad looks, and True after two good ones', async () => {
    const { id } = await given()
    lab.world.faults.set(id, FAULT)
    await look(id)
    expect(await condition(id, CONTROL_PLANE_READY)).toMatchObject({ status: 'True' })
    await look(id)
    expect(await condition(id, CONTROL_PLANE_READY)).toMatchObject({ status: 'False', ...FAULT })
    expect(await federationOf(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE' })
    expect((await history(lab, 'federation', id)).at(-1)).toBe('update failure EtcdDown')

    lab.world.faults.delete(id)
    await look(id)
    expect(await condition(id, CONTROL_PLANE_READY)).toMatchObject({ status: 'False' })
    await look(id)
    expect(await condition(id, CONTROL_PLANE_READY)).toMatchObject({ status: 'True', reason: 'Healthy' })
    expect((await history(lab, 'federation', id)).at(-1)).toBe('update success ControlPlaneHealthy')
  })

  it('stays for one bad observation', async () => {
    const { id } = await given()
    lab.world.faults.set(id, FAULT)
    await look(id)
    lab.world.faults.delete(id)
    await look(id, 3)
    expect(await condition(id, CONTROL_PLANE_READY)).toMatchObject({ status: 'True', reason: 'Created' })
  })

  it('tells a fault that was thrown, and counts one of ours as failed', async () => {
    const { id } = await given()
    lab.world.before = ({ name, federationId }) => {
      if (name === 'observe' && federationId === id) throw new ClusterGone('The host is no longer registered.')
    }
    await look(id, 2)
    expect(await condition(id, CONTROL_PLANE_READY)).toMatchObject({ status: 'False', reason: 'ClusterGone' })
    lab.world.before = ({ name, federationId }) => {
      if (name === 'observe' && federationId === id) throw new Error('a bug')
    }
    expect(await sweepControlPlanes(lab.ports)).toMatchObject({ failed: 1 })
    expect(await condition(id, CONTROL_PLANE_READY)).toMatchObject({ reason: 'ClusterGone' })
  })

  it('goes to another reason at once, and writes nothing while nothing changes', async () => {
    const { id } = await given()
    lab.world.faults.set(id, FAULT)
    await look(id, 3)
    const { revision, observation } = await federationOf(lab, id)
    await look(id, 3)
    expect(await federationOf(lab, id)).toMatchObject({ revision, observation })
    lab.world.faults.set(id, { reason: 'ConnectFailed', message: 'Refused.' })
    await look(id)
    expect(await condition(id, CONTROL_PLANE_READY)).toMatchObject({ status: 'False', reason: 'ConnectFailed' })
  })

  it('keeps a member that joined with it, and lets others join again once it is True', async () => {
    const { id, member } = await given()
    lab.world.faults.set(id, FAULT)
    await look(id, 3)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
    lab.world.faults.delete(id)
    await look(id, 2)
    const late = await registered(lab, 'late')
    await join(lab, id, [late])
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE' })
  })
})

describe('looks', () => {
  it('come once in five minutes while all is well, each minute otherwise, and write nothing', async () => {
    const { id } = await given()
    const before = await federationOf(lab, id)
    lab.world.calls.length = 0
    await controlPlaneMinutes(10)
    expect(looksAt(id)).toBe(2)
    expect(await federationOf(lab, id)).toEqual(before)
    lab.world.faults.set(id, FAULT)
    await look(id, 2)
    lab.world.calls.length = 0
    await controlPlaneMinutes(4)
    expect(looksAt(id)).toBe(4)
  })

  it('pass over a federation that is being made, changed or deleted, or never came up', async () => {
    const { id } = await given()
    const federation = await federationOf(lab, id)
    const operation = newOperation(lab.ports, 'update', { deadlineSeconds: 3600 })
    await lab.ports.stores.commit([lab.ports.stores.federations.change(federation, { operation })])
    const { id: failed } = await createFederation(lab, await registered(lab, 'host'), {
      properties: { 'memory-fail-phase': 'verify' },
    })
    await settled(lab, failed)
    lab.world.calls.length = 0
    await controlPlaneMinutes(5)
    expect([looksAt(id), looksAt(failed)]).toEqual([0, 0])
    const changed = await federationOf(lab, id)
    await lab.ports.stores.commit([lab.ports.stores.federations.change(changed, { operation: null })])
  })

  it('are not made of a driver that can not', async () => {
    const { id } = await given()
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const { observe } = driver
    lab.world.calls.length = 0
    delete driver.observe
    await controlPlaneMinutes(5)
    if (observe) driver.observe = observe
    expect(looksAt(id)).toBe(0)
  })
})

describe('members', () => {
  it('are Degraded with what the control plane says, after two observations, and Ready after two', async () => {
    const { id, member } = await given()
    lab.world.said.set(member, NOT_READY)
    await look(id)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
    await look(id)
    const { reason, message } = NOT_READY
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Degraded', reason, message })
    expect(await condition(id, MEMBERS_READY)).toMatchObject({ status: 'False', reason: 'MembersNotReady' })
    expect((await messages(lab, 'federation', id)).at(-1)).toBe(message)

    lab.world.said.delete(member)
    await look(id)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Degraded' })
    await look(id)
    const healed = await membership(lab, id, member)
    expect(healed).toMatchObject({ state: 'Ready' })
    expect(healed).not.toHaveProperty('reason')
    expect(await condition(id, MEMBERS_READY)).toMatchObject({ status: 'True', reason: 'AllReady' })
    expect((await history(lab, 'federation', id)).at(-1)).toBe('update success MemberReady')
  })

  it('that the control plane does not know any more are NotRegistered', async () => {
    const { id, member } = await given()
    lab.world.said.set(member, { state: 'absent' })
    await look(id)
    // The first look has it made again; a control plane that does not know it after that has lost it.
    await until(async () => isResting(await membership(lab, id, member)))
    await look(id)
    expect(await history(lab, 'federation', id)).toContain('update failure NotRegistered')
  })

  it('of a control plane that can not be asked stay as they are', async () => {
    const { id, member } = await given()
    lab.world.said.set(member, NOT_READY)
    await look(id, 2)
    lab.world.faults.set(id, FAULT)
    lab.world.said.delete(member)
    await look(id, 3)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Degraded', reason: 'CredentialRejected' })
    lab.world.faults.delete(id)
    await look(id, 2)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
  })

  it('show what works in part only, from the join on, and no fault for it', async () => {
    const warning = { reason: 'ProxyDisabled', message: 'Another Karmada uses the impersonator.' }
    const { id } = await given()
    const member = await registered(lab, 'shared')
    lab.world.said.set(member, { state: 'ready', ...warning })
    await join(lab, id, [member])
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE' })
    const joined = await membership(lab, id, member)
    expect(joined).toMatchObject({ state: 'Ready', ...warning })
    expect(await condition(id, MEMBERS_READY)).toMatchObject({ status: 'True' })
    await look(id, 2)
    expect(await membership(lab, id, member)).toEqual(joined)
    lab.world.said.delete(member)
    await look(id)
    const plain = await membership(lab, id, member)
    expect(plain).toMatchObject({ state: 'Ready', since: joined?.since })
    expect(plain).not.toHaveProperty('reason')
  })

  it('that a rotation runs on are left alone', async () => {
    const { id, member } = await given()
    const { memberships, commit } = lab.ports.stores
    const before = await membership(lab, id, member)
    if (before?.state !== 'Ready') throw new Error('it is not ready')
    const operation = newOperation(lab.ports, 'rotate', { deadlineSeconds: 86_400 })
    await commit([memberships.replace(before, { ...before, operation })])
    lab.world.said.set(member, NOT_READY)
    await look(id, 3)
    const under = await membership(lab, id, member)
    expect(under).toMatchObject({ state: 'Ready' })
    if (under?.state !== 'Ready') throw new Error('it is not ready')
    await commit([memberships.replace(under, { ...under, operation: null })])
    await look(id, 2)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Degraded' })
  })
})

describe('the condition MembersReady', () => {
  it('is said by the sweep where what changed a member was killed before it said so', async () => {
    const { id, member } = await given()
    const { memberships, commit } = lab.ports.stores
    const ready = (await membership(lab, id, member))!
    const reason = 'ClusterUnhealthy'
    await commit([
      memberships.replace(ready, {
        ...ready,
        state: 'Degraded',
        operation: null,
        reason,
        message: 'No node is ready.',
      }),
    ])
    lab.world.said.set(member, NOT_READY)
    await look(id)
    expect(await condition(id, MEMBERS_READY)).toMatchObject({ status: 'False', reason: 'MembersNotReady' })
  })
})

describe('a member whose cluster is unhealthy too', () => {
  const down = (id: string) => {
    lab.clusters.before = ({ name, clusterId }) => {
      if (name === 'observe' && clusterId === id) throw new Error('connection refused')
    }
  }

  /** As `given`, with a member whose own health the sweep checks. */
  const watched = async () => {
    const member = await createCluster(lab, 'watched')
    await ended(lab, member.ref)
    const { id } = await createFederation(lab, await registered(lab, 'host'), { members: [member.id] })
    await settled(lab, id)
    await look(id)
    return { id, member: member.id }
  }
  it('shows its cluster’s own fault, and then what is left of both', async () => {
    const { id, member } = await watched()
    lab.world.said.set(member, NOT_READY)
    await look(id, 2)
    down(member)
    await sweepMinutes(6)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Degraded', reason: 'ClusterUnhealthy' })
    await look(id, 2)
    expect(await membership(lab, id, member)).toMatchObject({ reason: 'ClusterUnhealthy' })
    lab.clusters.before = undefined
    await sweepMinutes(2)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Degraded', reason: 'CredentialRejected' })
    lab.world.said.delete(member)
    await look(id, 2)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
  })

  it('is not healed by a control plane that is content', async () => {
    const { id, member } = await watched()
    down(member)
    await sweepMinutes(6)
    await look(id, 2)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Degraded', reason: 'ClusterUnhealthy' })
    expect(await lab.ports.stores.clusters.get(key(member))).toMatchObject({
      observation: { healthStatus: 'UNHEALTHY' },
    })
  })
})
