import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CONTROL_PLANE_READY, MEMBERS_READY } from '../../functions/core/federation/federation.ts'
import { isConditionTrue } from '../../functions/core/values/status.ts'
import type { FederationContext } from '../../functions/drivers/contract/federation-driver.ts'
import { memoryFederationDriver } from '../../functions/drivers/federation/memory/v1/index.ts'
import { MemoryWorld } from '../../functions/drivers/federation/memory/v1/world.ts'
import { errorFinding, warningFinding } from '../../functions/drivers/support/findings.ts'
import { preflightPhase } from '../../functions/flows/phases/federation.ts'
import { ApiUnavailable, ClusterIdentityChanged, ConnectTimedOut } from '../../functions/kubernetes/errors.ts'
import {
  changeFederation,
  createFederation,
  join,
  key,
  membership,
  PROJECT,
  registered,
  unjoin,
} from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, federationOf, history, messages, settled } from '../support/flows/look.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const host = () => registered(lab, 'host')

describe('federation-create', () => {
  it('brings the control plane up and completes without members', async () => {
    const hostId = await host()
    const { id, ref } = await createFederation(lab, hostId)
    expect(await ended(lab, ref)).toBe('succeeded')
    const federation = await federationOf(lab, id)
    expect(federation).toMatchObject({ status: 'CREATE_COMPLETE', statusReason: null, operation: null, change: null })
    expect(federation.endpoint).toBe(`memory://${id}`)
    expect(federation.made.map((ref) => ref.kind)).toEqual(['Namespace', 'MemoryControlPlane'])
    expect(isConditionTrue(federation.conditions, CONTROL_PLANE_READY)).toBe(true)
    expect(isConditionTrue(federation.conditions, MEMBERS_READY)).toBe(true)
    expect(await history(lab, 'federation', id)).toEqual(['create pending Requested', 'create success Settled'])
  })

  it('sends its waiting members on and completes when the last has joined', async () => {
    const members = await Promise.all(['a', 'b', 'c'].map((name) => registered(lab, name)))
    const { id } = await createFederation(lab, await host(), { members })
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', memberIds: members.toSorted() })
    for (const member of members)
      expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready', operation: null })
  })

  it('is CREATE_COMPLETE and names the member that could not join', async () => {
    const good = await registered(lab, 'good')
    const bad = await registered(lab, 'bad', { 'memory-fail-step': 'register' })
    const { id } = await createFederation(lab, await host(), { members: [good, bad] })
    const federation = await settled(lab, id)
    expect(federation).toMatchObject({ status: 'CREATE_COMPLETE', memberIds: [good] })
    const failed = await membership(lab, id, bad)
    expect(federation).toMatchObject({ statusReason: expect.stringContaining(failed?.memberName ?? '?') })
    expect(isConditionTrue((await federationOf(lab, id)).conditions, CONTROL_PLANE_READY)).toBe(true)
  })

  it('undoes everything, frees the waiting members and the namespace when a phase fails', async () => {
    const [hostId, member] = [await host(), await registered(lab, 'member')]
    const { id, ref } = await createFederation(lab, hostId, {
      members: [member],
      properties: { 'memory-fail-phase': 'verify' },
    })
    expect(await ended(lab, ref)).toBe('failed')
    const federation = await federationOf(lab, id)
    expect(federation).toMatchObject({ status: 'CREATE_FAILED', operation: null, memberIds: [], made: [] })
    expect(federation.statusReason).toMatch(/^PlannedFailure: /)
    expect(await membership(lab, id, member)).toMatchObject({ state: 'JoinFailed', reason: 'FederationCreateFailed' })
    expect((await clusterOf(lab, member))?.uses).toEqual([])
    expect(lab.world.holds(hostId)).toEqual([])
    const { federations, commit } = lab.ports.stores
    const [namespace = ''] = lab.ports.drivers.federation.resolve('memory@1').hostNamespaces(federation)
    await commit([federations.claimNamespace({ projectId: PROJECT, uid: `uid-${hostId}` }, namespace, 'another')])
  })

  it('ends before anything is made when the preflight refuses, with all that it found', async () => {
    lab.world.hostFindings = [
      errorFinding('HostHasNoNodes', 'The host has no nodes.'),
      warningFinding('LessIsKnown', 'Less is known.'),
      { ...errorFinding('ConnectFailed', 'The host does not answer.'), retryable: true },
    ]
    const called: string[] = []
    lab.world.before = ({ name }) => {
      called.push(name)
    }
    const { id, ref } = await createFederation(lab, await host())
    expect(await ended(lab, ref)).toBe('failed')
    expect(await federationOf(lab, id)).toMatchObject({
      status: 'CREATE_FAILED',
      statusReason:
        'PreflightFailed: Nothing was made. HostHasNoNodes: The host has no nodes. ConnectFailed: The host does not answer.',
      made: [],
    })
    expect(called.filter((name) => /^(ensure|undo):/.test(name))).toEqual([])
  })

  it('of which nothing was made is deleted although its host does not answer', async () => {
    lab.world.hostFindings = [errorFinding('ClusterIdentityChanged', 'Another cluster answers.')]
    const { id, ref } = await createFederation(lab, await host())
    expect(await ended(lab, ref)).toBe('failed')
    lab.world.before = ({ name }) => {
      if (name.startsWith('ensure:')) throw new ClusterIdentityChanged('Another cluster answers.')
    }
    expect(await ended(lab, await changeFederation(lab, id, 'delete'))).toBe('succeeded')
    expect(await lab.ports.stores.federations.get(key(id))).toBeUndefined()
    expect((await history(lab, 'federation', id)).at(-1)).toBe('delete success Deleted')
  })

  it("gives the host's namespaces back to whoever wants them next", async () => {
    const { id, hostId } = await created([])
    const { federations, commit } = lab.ports.stores
    const [namespace = ''] = lab.ports.drivers.federation
      .resolve('memory@1')
      .hostNamespaces(await federationOf(lab, id))
    const claim = () =>
      commit([federations.claimNamespace({ projectId: PROJECT, uid: `uid-${hostId}` }, namespace, 'another')])
    await expect(claim()).rejects.toMatchObject({ name: 'ReservationTaken' })
    expect(await ended(lab, await changeFederation(lab, id, 'delete'))).toBe('succeeded')
    await claim()
  })

  it('that is up is not deleted while its host does not answer, which tells the way out', async () => {
    const { id, ref } = await createFederation(lab, await host())
    expect(await ended(lab, ref)).toBe('succeeded')
    lab.world.before = ({ name }) => {
      if (name.startsWith('ensure:')) throw new ClusterIdentityChanged('Another cluster answers.')
    }
    expect(await ended(lab, await changeFederation(lab, id, 'delete'))).toBe('failed')
    expect(await federationOf(lab, id)).toMatchObject({
      status: 'DELETE_FAILED',
      statusReason: expect.stringMatching(/^ClusterIdentityChanged: .* delete with \?force=true, which/),
    })
  })

  it.each<[string, 'False' | 'Unknown', boolean]>([
    ['was up, by a driver that notes nothing', 'False', true],
    ['was being created: the last call may have made something', 'Unknown', false],
  ])(
    'of which nothing is noted but that %s is not deleted while its host does not answer',
    async (_, status, isSeen) => {
      const { id, ref } = await createFederation(lab, await host())
      expect(await ended(lab, ref)).toBe('succeeded')
      const { federations, commit } = lab.ports.stores
      const { conditions, ...federation } = await federationOf(lab, id)
      const others = conditions.map((one) => (one.type === CONTROL_PLANE_READY ? { ...one, status } : one))
      await commit([federations.change({ ...federation, conditions }, { made: [], conditions: others })])
      const observedAt = lab.ports.clock.now().toISOString()
      if (isSeen) await federations.observe(key(id), { observedAt, fault: 'Down', members: {} })
      lab.world.before = ({ name }) => {
        if (name.startsWith('ensure:')) throw new ClusterIdentityChanged('Another cluster answers.')
      }
      expect(await ended(lab, await changeFederation(lab, id, 'delete'))).toBe('failed')
      expect((await federationOf(lab, id)).status).toBe('DELETE_FAILED')
    },
  )

  it('waits for a host that may be back soon, and no second time once something is made', async () => {
    const { world } = lab
    world.hostFindings = [{ ...errorFinding('ConnectFailed', 'The host does not answer.'), retryable: true }]
    const reasons: (string | null)[] = []
    const { id, ref } = await createFederation(lab, await host(), { launched: false })
    lab.intercept = async (call, run) => {
      const result = await run()
      if (call.step === 'RunPhase') reasons.push((await federationOf(lab, id)).statusReason)
      world.hostFindings = []
      return result
    }
    await lab.engine.start(ref, {
      projectId: 'blue',
      entityId: id,
      operationId: ref.name.slice(0, -2),
      attempt: 1,
      mode: 'do',
    })
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(reasons[0]).toBe(
      '1/4 preflight of the host: waiting for the host to be fit: ConnectFailed: The host does not answer',
    )
    // What the create made itself must not refuse it when a step is run again.
    const driver = { checkHost: async () => ({ findings: [errorFinding('ForeignObject', 'There.')], wouldMake: [] }) }
    const [federation, made] = [await federationOf(lab, id), preflightPhase(driver)]
    expect(await made.ensure({ federation } as FederationContext)).toEqual({ done: true })
    await expect(made.ensure({ federation: { ...federation, made: [] } } as never)).rejects.toThrow('There.')
  })

  it('retries a phase whose cluster hiccups', async () => {
    let left = 2
    lab.world.before = ({ name }) => {
      if (name === 'ensure:namespace' && left-- > 0) throw new ApiUnavailable('The API server answered 503.')
    }
    const { id, ref } = await createFederation(lab, await host())
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(await federationOf(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE' })
  })

  it('ends with PhaseTimedOut and what it waited for when a phase passes its deadline', async () => {
    lab.world.after = ({ name }) => {
      if (name === 'ensure:control-plane') lab.clock.advance(400_000)
    }
    const { id, ref } = await createFederation(lab, await host(), { properties: { 'memory-delay-seconds': '9999' } })
    expect(await ended(lab, ref)).toBe('failed')
    const { status, statusReason } = await federationOf(lab, id)
    expect(status).toBe('CREATE_FAILED')
    expect(statusReason).toMatch(/^PhaseTimedOut: .*3\/4.*the control plane to come up/)
  })

  it('tells what it waits for while it waits', async () => {
    const reasons: (string | null)[] = []
    const { id, ref } = await createFederation(lab, await host(), {
      properties: { 'memory-delay-seconds': '30' },
      launched: false,
    })
    lab.intercept = async (call, run) => {
      const result = await run()
      if (call.step === 'RunPhase') reasons.push((await federationOf(lab, id)).statusReason)
      lab.clock.advance(20_000)
      return result
    }
    await lab.engine.start(ref, {
      projectId: 'blue',
      entityId: id,
      operationId: ref.name.slice(0, -2),
      attempt: 1,
      mode: 'do',
    })
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(reasons[0]).toBe('3/4 control plane: waiting for the control plane to come up (30 s)')
    expect((await federationOf(lab, id)).statusReason).toBeNull()
  })

  it('needs at most 40 transitions', async () => {
    const { ref } = await createFederation(lab, await host())
    await ended(lab, ref)
    // ChooseMode, RunPhase, PhaseDone, RecordSuccess, Succeeded; each wait adds three.
    expect(lab.stepsOf(ref)).toEqual(['RunPhase', 'RecordSuccess'])
  })

  it('is caught when its driver is not enabled any more', async () => {
    const { id, ref } = await createFederation(lab, await host(), { launched: false })
    const { federations, commit } = lab.ports.stores
    const federation = await federationOf(lab, id)
    await commit([federations.remove(federation)])
    await commit([federations.insert({ ...federation, driver: 'absent@1' })])
    await lab.engine.start(ref, {
      projectId: 'blue',
      entityId: id,
      operationId: federation.operation?.id ?? '',
      attempt: 1,
      mode: 'do',
    })
    expect(await ended(lab, ref)).toBe('failed')
    expect(await federationOf(lab, id)).toMatchObject({ status: 'CREATE_FAILED', operation: null })
    expect((await federationOf(lab, id)).statusReason).toMatch(/^DriverNotFound: /)
  })
})

const created = async (members: string[] = []): Promise<{ id: string; hostId: string }> => {
  const hostId = await host()
  const { id } = await createFederation(lab, hostId, { members })
  await settled(lab, id)
  return { id, hostId }
}

describe('federation-update', () => {
  it('shows where the control plane is found after the change', async () => {
    const driver = memoryFederationDriver({ world: new MemoryWorld() })
    const moving = {
      ...driver,
      endpoint: async ({ federation }: FederationContext) => federation.properties.at ?? null,
    }
    const own = await openFlowLab({ federationDriver: moving })
    const { id } = await createFederation(own, await registered(own, 'host'), { properties: { at: 'here' } })
    expect(await settled(own, id)).toMatchObject({ endpoint: 'here' })
    await changeFederation(own, id, 'update', { properties: { at: 'there' } })
    expect(await settled(own, id)).toMatchObject({ endpoint: 'there' })
    await own.dispose()
  })

  it('puts properties in force', async () => {
    const { id } = await created()
    const ref = await changeFederation(lab, id, 'update', { properties: { 'dns-zone': 'example.org' } })
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(await federationOf(lab, id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      driverState: { 'memory-properties': { 'dns-zone': 'example.org' } },
    })
  })

  it('fails with the reason, and the next success clears it', async () => {
    const { id } = await created()
    await ended(lab, await changeFederation(lab, id, 'update', { properties: { 'memory-fail-phase': 'properties' } }))
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', change: null })
    expect((await federationOf(lab, id)).statusReason).toMatch(/^PlannedFailure: /)
    await ended(lab, await changeFederation(lab, id, 'update', { properties: {} }))
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', statusReason: null })
  })

  it('reaches into no member that is leaving, also one that began to while it runs', async () => {
    const seen: string[][] = []
    const driver = memoryFederationDriver({ world: new MemoryWorld() })
    const own = await openFlowLab({ federationDriver: driver })
    const hostId = await registered(own, 'host')
    const members = [await registered(own, 'stays'), await registered(own, 'leaves')]
    const { id } = await createFederation(own, hostId, { members })
    await settled(own, id)
    const [phase] = driver.phases.update
    const { ensure } = phase!
    const look = async (context: FederationContext) =>
      seen.push((await context.members!()).map(({ membership: { clusterId } }) => clusterId).toSorted())
    phase!.ensure = async (context) => {
      await look(context)
      if (seen.length > 1) return ensure.call(phase, context)
      await unjoin(own, id, members[1]!)
      await look(context)
      return ensure.call(phase, context)
    }
    await changeFederation(own, id, 'update', { properties: { a: 'b' } })
    expect(await settled(own, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [members[0]] })
    expect(seen).toEqual([members.toSorted(), [members[0]]])
    await own.dispose()
  })

  it('shows the address that the failed update has moved already, as kubeconfigs do', async () => {
    const { id } = await created()
    const failing = () => changeFederation(lab, id, 'update', { properties: { 'memory-fail-phase': 'properties' } })
    const driver = lab.ports.drivers.federation.resolve('memory@1')
    const { endpoint } = driver
    try {
      driver.endpoint = async () => 'memory://moved'
      await ended(lab, await failing())
      expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', endpoint: 'memory://moved' })
      driver.endpoint = () => Promise.reject(new ApiUnavailable('The API server answered 503.'))
      await ended(lab, await failing())
      expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', endpoint: 'memory://moved' })
    } finally {
      driver.endpoint = endpoint
    }
  })

  it('is UPDATE_FAILED when the update failed although every member joined', async () => {
    const { id } = await created()
    const member = await registered(lab, 'late')
    await changeFederation(lab, id, 'update', { properties: { 'memory-fail-phase': 'properties' } })
    await join(lab, id, [member])
    const federation = await settled(lab, id)
    expect(federation).toMatchObject({ status: 'UPDATE_FAILED', memberIds: [member] })
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
  })
})

describe('federation-delete', () => {
  it('unjoins every member, takes everything down and leaves nothing', async () => {
    const members = await Promise.all(['a', 'b'].map((name) => registered(lab, name)))
    const { id, hostId } = await created(members)
    const ref = await changeFederation(lab, id, 'delete')
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(await lab.ports.stores.federations.get(key(id))).toBeUndefined()
    expect(await lab.ports.stores.memberships.listOf(key(id))).toEqual([])
    for (const cluster of [hostId, ...members]) {
      expect((await clusterOf(lab, cluster))?.uses).toEqual([])
      expect(lab.world.holds(cluster)).toEqual([])
    }
    expect((await history(lab, 'federation', id)).at(-1)).toBe('delete success Deleted')
  })

  it('is DELETE_FAILED naming the member that could not leave, and force ends it', async () => {
    const bad = await registered(lab, 'bad', { 'memory-fail-step': 'clean' })
    const { id } = await created([bad])
    expect(await ended(lab, await changeFederation(lab, id, 'delete'))).toBe('failed')
    const { statusReason, status } = await federationOf(lab, id)
    expect(status).toBe('DELETE_FAILED')
    expect(statusReason).toContain((await membership(lab, id, bad))?.memberName)
    expect(await membership(lab, id, bad)).toMatchObject({ state: 'UnjoinFailed', reason: 'PlannedFailure' })

    expect(await ended(lab, await changeFederation(lab, id, 'delete', { force: true }))).toBe('succeeded')
    expect(await settled(lab, id)).toBe('gone')
    const last = (await messages(lab, 'federation', id)).at(-1)
    expect(last).toMatch(/ServiceAccount .* in the member.*stays valid until/)
    expect((await clusterOf(lab, bad))?.uses).toEqual([])
  })

  it('passes over a phase that fails, by force, and says so', async () => {
    const { id } = await created()
    lab.world.before = ({ name }) => {
      if (name === 'ensure:remove-namespace') throw new ApiUnavailable('The host does not answer.')
    }
    expect(await ended(lab, await changeFederation(lab, id, 'delete', { force: true }))).toBe('succeeded')
    expect(await settled(lab, id)).toBe('gone')
    expect((await messages(lab, 'federation', id)).at(-1)).toContain('The host does not answer.')
  })

  it('waits once for a host that does not answer, by force, and says what was not tried', async () => {
    const { id } = await created()
    const called: string[] = []
    lab.world.before = ({ name }) => {
      if (!name.startsWith('ensure:remove-')) return
      called.push(name)
      throw new ConnectTimedOut('The host did not answer within 3 s.')
    }
    const made = (await federationOf(lab, id)).made.map(({ name }) => name)
    expect(await ended(lab, await changeFederation(lab, id, 'delete', { force: true }))).toBe('succeeded')
    expect(called).toEqual(Array.from({ length: 3 }, () => 'ensure:remove-control-plane'))
    const said = (await messages(lab, 'federation', id)).at(-1) ?? ''
    expect(said).toMatch(
      /but: remove control plane failed \(ConnectTimedOut: The host did not answer within 3 s\.\); nothing more was tried in the host: remove namespace\. Look for: /,
    )
    for (const name of made) expect(said).toContain(name)
  })

  it('goes on after an outage that passed, by force', async () => {
    const { id, hostId } = await created()
    let faults = 2
    lab.world.before = ({ name }) => {
      if (name === 'ensure:remove-control-plane' && faults-- > 0) throw new ConnectTimedOut('No answer.')
    }
    expect(await ended(lab, await changeFederation(lab, id, 'delete', { force: true }))).toBe('succeeded')
    expect(lab.world.holds(hostId)).toEqual([])
    expect((await history(lab, 'federation', id)).at(-1)).toBe('delete success Deleted')
  })

  it('takes over from a create that runs', async () => {
    const members = [await registered(lab, 'waits')]
    const hostId = await host()
    const { id, ref } = await createFederation(lab, hostId, { members, properties: { 'memory-delay-seconds': '9999' } })
    const removal = await changeFederation(lab, id, 'delete')
    expect(await ended(lab, removal)).toBe('succeeded')
    // Stopped, or by itself at its next observation: superseded.
    expect(await lab.engine.describe(ref)).toMatch(/aborted|succeeded/)
    expect(await settled(lab, id)).toBe('gone')
    expect(lab.world.holds(hostId)).toEqual([])
    expect((await clusterOf(lab, members[0] ?? ''))?.uses).toEqual([])
  })
})
