import { afterAll, describe, expect, it } from 'vitest'
import { Secret } from '../../functions/core/values/secret.ts'
import type { FederationDriver, MemberContext } from '../../functions/drivers/contract/federation-driver.ts'
import { memoryFederationDriver } from '../../functions/drivers/federation/memory/v1/index.ts'
import { MemoryWorld } from '../../functions/drivers/federation/memory/v1/world.ts'
import type { Connection, KubernetesClient } from '../../functions/kubernetes/client.ts'
import { renewDue } from '../../functions/workers/renewals/renew.ts'
import { createFederation, join, membership, registered, unjoin } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, federationOf, history, settled } from '../support/flows/look.ts'
import { gate } from '../support/local/engine-lab.ts'

/** A member's flow that another one took over while its function was at work: AWS lets the function run to its end. */

const labs: FlowLab[] = []
afterAll(async () => {
  for (const lab of labs) await lab.dispose()
})

const CONNECTION: Connection = {
  server: 'https://127.0.0.1:9',
  caPem: null,
  tlsServerName: null,
  tlsVerify: true,
  credential: { kind: 'token', token: new Secret('t') },
}
const ACCOUNTS = { group: '', version: 'v1', plural: 'serviceaccounts' }

type Act = 'prepareMember' | 'registerMember' | 'deregisterMember' | 'cleanMember'

/** memory@1 whose member functions write into a cluster first; the next call of the held one waits until the test lets it go on. */
const openLab = async () => {
  const written: string[] = []
  const refused: string[] = []
  const client = new Proxy({} as KubernetesClient, {
    get: (_, name) => async (_resource: unknown, object?: { metadata?: { name?: string } }) => {
      if (name === 'apply') written.push(String(object?.metadata?.name))
    },
  })
  const world = new MemoryWorld()
  const driver = memoryFederationDriver({ world })
  const hold: {
    act?: Act | undefined
    arrived: ReturnType<typeof gate>
    go: ReturnType<typeof gate>
    over: Promise<void>
  } = {
    arrived: gate(),
    go: gate(),
    over: Promise.resolve(),
  }
  const writing =
    <T>(act: Act, run: (context: MemberContext) => Promise<T>) =>
    async (context: MemberContext): Promise<T> => {
      const isHeld = hold.act === act
      const over = Promise.withResolvers<void>()
      if (isHeld) {
        hold.act = undefined
        hold.over = over.promise
        hold.arrived.open()
        await hold.go.passed
      }
      const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: isHeld ? 'late' : act } }
      try {
        await context.connect(CONNECTION).apply(ACCOUNTS, object)
        return await run(context)
      } catch (error) {
        refused.push((error as Error).name)
        throw error
      } finally {
        over.resolve()
      }
    }
  const acts: Pick<FederationDriver, Act> = {
    prepareMember: writing('prepareMember', driver.prepareMember),
    registerMember: writing('registerMember', driver.registerMember),
    deregisterMember: writing('deregisterMember', driver.deregisterMember),
    cleanMember: writing('cleanMember', driver.cleanMember),
  }
  const lab = await openFlowLab({ federationDriver: { ...driver, ...acts }, connect: () => client })
  labs.push(lab)
  const host = await registered(lab, 'host')
  const { id } = await createFederation(lab, host, { properties: { 'memory-token-seconds': '3600' } })
  await settled(lab, id)
  const member = await registered(lab, 'member')
  return { lab, id, host, member, hold, written, refused, world }
}

type Opened = Awaited<ReturnType<typeof openLab>>

const joined = async ({ lab, id, member }: Opened) => {
  await join(lab, id, [member])
  await settled(lab, id)
}

const STORIES: Record<
  string,
  { act: Act; before?: (it: Opened) => Promise<void>; begin(it: Opened): Promise<unknown> }
> = {
  'a join that prepares': { act: 'prepareMember', begin: ({ lab, id, member }) => join(lab, id, [member]) },
  'a join that registers': { act: 'registerMember', begin: ({ lab, id, member }) => join(lab, id, [member]) },
  'an unjoin that deregisters': {
    act: 'deregisterMember',
    before: joined,
    begin: ({ lab, id, member }) => unjoin(lab, id, member),
  },
  'an unjoin that cleans': {
    act: 'cleanMember',
    before: joined,
    begin: ({ lab, id, member }) => unjoin(lab, id, member),
  },
  'a renewal that publishes': {
    act: 'registerMember',
    before: joined,
    begin: async ({ lab }) => {
      lab.clock.advance(3_000_000)
      await renewDue(lab.ports)
    },
  },
}

describe('superseded', () => {
  it.each(Object.entries(STORIES))('%s writes nothing more', async (_, { act, before, begin }) => {
    const it = await openLab()
    const { lab, id, host, member, hold, written, refused, world } = it
    await before?.(it)
    hold.act = act
    await begin(it)
    await hold.arrived.passed
    expect(await ended(lab, await unjoin(lab, id, member, { force: true }))).toBe('succeeded')
    const [told, revision] = [await history(lab, 'federation', id), (await federationOf(lab, id)).revision]
    hold.go.open()
    await hold.over
    expect(refused).toEqual(['OperationSuperseded'])
    expect(written).not.toContain('late')
    expect(await membership(lab, id, member)).toBeUndefined()
    expect((await clusterOf(lab, member))?.uses).toEqual([])
    expect(world.holds(member)).toEqual([])
    expect(world.holds(host).filter((it) => it.startsWith('MemoryMember'))).toEqual([])
    expect(await history(lab, 'federation', id)).toEqual(told)
    expect((await federationOf(lab, id)).revision).toBe(revision)
  })
})
