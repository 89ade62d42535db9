import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ClusterObservation } from '../../functions/core/cluster/cluster.ts'
import type { Membership } from '../../functions/core/membership/membership.ts'
import { newOperation } from '../../functions/core/operation/launch.ts'
import type { Ports } from '../../functions/core/ports.ts'
import type { FederationDriver } from '../../functions/drivers/contract/federation-driver.ts'
import { type SweepReport, sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { createCluster, createFederation, membership, registered, unjoin } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, settled } from '../support/flows/look.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const down = (id: string) => {
  lab.clusters.before = ({ name, clusterId }) => {
    if (name === 'observe' && clusterId === id) throw new Error('connection refused')
  }
}
const up = () => {
  lab.clusters.before = undefined
}
/** A sweep each minute. */
const sweepMinutes = async (minutes: number, ports: Ports = lab.ports): Promise<SweepReport[]> => {
  const reports: SweepReport[] = []
  for (let minute = 0; minute < minutes; minute++) {
    lab.clock.advance(60_000)
    reports.push(await sweepHealth(ports))
  }
  return reports
}
const tellings = (federationId: string): number =>
  lab.world.calls.filter((call) => call.name === 'refreshMember' && call.federationId === federationId).length
/** A member of `count` federations, whose control planes know how it is. */
const memberOf = async (count = 1) => {
  const { id, ref } = await createCluster(lab, 'watched')
  await ended(lab, ref)
  const federations: string[] = []
  for (let number = 0; number < count; number++) {
    const federation = await createFederation(lab, await registered(lab, 'host'), { members: [id] })
    await settled(lab, federation.id)
    federations.push(federation.id)
  }
  await sweepMinutes(5)
  lab.world.calls.length = 0
  return { id, federations: federations as [string, ...string[]] }
}
const ENDPOINT = { server: 'https://api.example', caPem: null, tlsServerName: null, tlsVerify: true }
const health = async (id: string) => (await clusterOf(lab, id))?.observation?.healthStatus
/** Plays a host that can not be reached. */
const failing = (federationId: string) => {
  lab.world.before = (call) => {
    if (call.name === 'refreshMember' && call.federationId === federationId) throw new Error('the host is gone')
  }
}

describe('sweepHealth, towards control planes', () => {
  it('tells of a change that two observations agree on, once, and of nothing else', async () => {
    const { id, federations } = await memberOf()
    await sweepMinutes(10)
    expect(tellings(federations[0])).toBe(0)
    down(id)
    while ((await clusterOf(lab, id))?.observation?.healthReason.api === 'ok') await sweepMinutes(1)
    expect(await health(id)).toBe('HEALTHY')
    expect(tellings(federations[0])).toBe(0)
    await sweepMinutes(1)
    expect(await health(id)).toBe('UNHEALTHY')
    expect(tellings(federations[0])).toBe(1)
    await sweepMinutes(5)
    expect(tellings(federations[0])).toBe(1)
    up()
    await sweepMinutes(1)
    expect(tellings(federations[0])).toBe(1)
    await sweepMinutes(1)
    expect(await health(id)).toBe('HEALTHY')
    expect(tellings(federations[0])).toBe(2)
  })

  it('tells of a new version, with what was observed', async () => {
    const { id, federations } = await memberOf()
    const seen: (ClusterObservation | null)[] = []
    const { federation, cluster } = lab.ports.drivers
    const spy = (driver: FederationDriver): FederationDriver => ({
      ...driver,
      refreshMember: async ({ member, federation: { id: to } }) => {
        if (to === federations[0]) seen.push(member.cluster.observation)
        return { done: true }
      },
    })
    const simulated = cluster.resolve('memory@1')
    const upgraded: Ports = {
      ...lab.ports,
      drivers: {
        federation: { ...federation, resolve: (driver) => spy(federation.resolve(driver)) },
        cluster: {
          ...cluster,
          resolve: () => ({
            ...simulated,
            observe: async (context) => ({ ...(await simulated.observe(context)), version: 'v1.37.0' }),
          }),
        },
      },
    }
    await sweepMinutes(10, upgraded)
    expect(seen).toEqual([expect.objectContaining({ version: 'v1.37.0', healthStatus: 'HEALTHY' })])
    expect((await clusterOf(lab, id))?.observation?.version).toBe('v1.37.0')
  })

  it('tells within a minute of a name and an address that changed while the health stayed', async () => {
    const { id, federations } = await memberOf()
    for (const change of [
      { name: 'renamed' },
      { endpoint: { ...ENDPOINT, serverForPeers: 'https://moved.example' } },
    ]) {
      const cluster = await clusterOf(lab, id)
      if (cluster === undefined) throw new Error('the cluster is gone')
      await lab.ports.stores.commit([lab.ports.stores.clusters.change(cluster, change)])
      lab.world.calls.length = 0
      expect((await sweepMinutes(1))[0]).toMatchObject({ owed: 0 })
      expect(tellings(federations[0])).toBe(1)
      await sweepMinutes(5)
      expect(tellings(federations[0])).toBe(1)
    }
  })

  it('tells of a member within a minute of its join', async () => {
    const { id } = await memberOf()
    const federation = await createFederation(lab, await registered(lab, 'host'), { members: [id] })
    await settled(lab, federation.id)
    await sweepMinutes(1)
    expect(tellings(federation.id)).toBe(1)
  })

  it('has a control plane that can not be told told later, and lets nobody else suffer', async () => {
    const { id, federations } = await memberOf(2)
    const [broken, sound] = federations as [string, string]
    failing(broken)
    down(id)
    while ((await health(id)) !== 'UNHEALTHY') await sweepMinutes(1)
    expect(await membership(lab, broken, id)).toMatchObject({ state: 'Degraded' })
    expect([tellings(broken), tellings(sound)]).toEqual([1, 1])
    const reports = await sweepMinutes(2)
    expect(reports.map(({ owed, failed }) => [owed, failed])).toEqual([
      [1, 0],
      [1, 0],
    ])
    expect([tellings(broken), tellings(sound)]).toEqual([3, 1])
    lab.world.before = undefined
    expect((await sweepMinutes(1))[0]).toMatchObject({ owed: 0 })
    await sweepMinutes(3)
    expect([tellings(broken), tellings(sound)]).toEqual([4, 1])
  })

  it('has a control plane told later that answers that it is not done', async () => {
    const { id, federations } = await memberOf()
    const { federation } = lab.ports.drivers
    let done = false
    const resolve = (driver: FederationDriver['id']): FederationDriver => ({
      ...federation.resolve(driver),
      refreshMember: async () => ({ done, waitingFor: 'an observation that agrees' }),
    })
    const ports: Ports = { ...lab.ports, drivers: { ...lab.ports.drivers, federation: { ...federation, resolve } } }
    down(id)
    while ((await health(id)) !== 'UNHEALTHY') await sweepMinutes(1, ports)
    const before = (await clusterOf(lab, id))?.told?.[federations[0]]
    done = true
    await sweepMinutes(1, ports)
    const after = (await clusterOf(lab, id))?.told?.[federations[0]]
    expect([before, after]).toEqual([expect.stringMatching(/^HEALTHY/), expect.stringMatching(/^UNHEALTHY/)])
  })

  it('leaves a member alone while it leaves', async () => {
    const { id, federations } = await memberOf()
    const [federation] = federations
    await unjoin(lab, federation, id, { launched: false })
    down(id)
    await sweepMinutes(7)
    expect(await health(id)).toBe('UNHEALTHY')
    expect(tellings(federation)).toBe(0)
  })

  it('tells of a member after its rotation, not during it', async () => {
    const { id, federations } = await memberOf()
    const [federation] = federations
    const { memberships, commit } = lab.ports.stores
    const before = (await membership(lab, federation, id)) as Membership
    const operation = newOperation(lab.ports, 'rotate', { deadlineSeconds: 3600 })
    await commit([memberships.replace(before, { ...before, operation } as Membership)])
    down(id)
    await sweepMinutes(7)
    expect(tellings(federation)).toBe(0)
    const under = (await membership(lab, federation, id)) as Membership
    await commit([memberships.replace(under, { ...under, operation: null } as Membership)])
    await sweepMinutes(2)
    expect(tellings(federation)).toBe(1)
  })

  it('asks nothing of a driver that has no way to be told', async () => {
    const { id, federations } = await memberOf()
    const { federation } = lab.ports.drivers
    const resolve = (name: FederationDriver['id']): FederationDriver => {
      const { refreshMember: _, ...driver } = federation.resolve(name)
      return driver
    }
    const ports: Ports = { ...lab.ports, drivers: { ...lab.ports.drivers, federation: { ...federation, resolve } } }
    down(id)
    const reports = await sweepMinutes(7, ports)
    expect(reports.at(-1)).toMatchObject({ failed: 0 })
    expect((await clusterOf(lab, id))?.told?.[federations[0]]).toMatch(/^UNHEALTHY/)
  })
})
