import { afterAll, describe, expect, it } from 'vitest'
import { AppError } from '../../functions/core/values/app-error.ts'
import { Secret } from '../../functions/core/values/secret.ts'
import type { FederationContext } from '../../functions/drivers/contract/federation-driver.ts'
import type { StepResult } from '../../functions/drivers/contract/phase.ts'
import { memoryFederationDriver } from '../../functions/drivers/federation/memory/v1/index.ts'
import { MemoryWorld } from '../../functions/drivers/federation/memory/v1/world.ts'
import { guarded } from '../../functions/flows/loop.ts'
import type { Connect, Connection, KubernetesClient } from '../../functions/kubernetes/client.ts'
import { changeFederation, createFederation, join, membership, registered } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { ended, federationOf, history, settled } from '../support/flows/look.ts'

/** An update of properties that takes the place of one that runs (decision 0023). */

/** A point at which a step stands still until the test lets it go on. */
const pause = () => {
  const [reached, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pass = (): Promise<void> => {
    reached.resolve()
    return open.promise
  }
  return { reached: reached.promise, open: () => open.resolve(), pass }
}

class ImageGone extends AppError {
  override readonly name = 'ImageGone'
  readonly kind = 'conflict'
}

const labs: FlowLab[] = []
afterAll(async () => {
  for (const lab of labs) await lab.dispose()
})

type Rollout = (context: FederationContext) => Promise<StepResult>

/** A flow lab with a driver whose update is one phase, and a federation in it. */
const updating = async (rollout: Rollout, connect?: Connect) => {
  const driver = memoryFederationDriver({ world: new MemoryWorld() })
  const phase = { id: 'rollout', title: 'rollout', deadlineSeconds: 60, ensure: rollout }
  const lab = await openFlowLab({
    federationDriver: { ...driver, phases: { ...driver.phases, update: [phase] } },
    ...(connect && { connect }),
  })
  labs.push(lab)
  const { id } = await createFederation(lab, await registered(lab, 'host'))
  await settled(lab, id)
  const update = (image: string) => changeFederation(lab, id, 'update', { properties: { image } })
  return { lab, id, update }
}

const isWrong = ({ federation }: FederationContext): boolean => federation.properties.image === 'wrong'

describe('an update in place of one that waits', () => {
  it('ends it and completes by itself, and members move on', async () => {
    const waits = pause()
    const { lab, id, update } = await updating(async (context) => {
      if (!isWrong(context)) return { done: true }
      await waits.pass()
      return { done: false, waitingFor: 'the image wrong' }
    })
    const stuck = await update('wrong')
    await waits.reached
    const member = await registered(lab, 'joins-meanwhile')
    await join(lab, id, [member])
    const better = await update('right')
    expect(await ended(lab, better)).toBe('succeeded')
    waits.open()
    // Stopped, or by itself at its next observation: superseded.
    expect(await ended(lab, stuck)).toMatch(/aborted|succeeded/)
    expect(await settled(lab, id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      statusReason: null,
      operation: null,
      properties: { image: 'right' },
      propertiesInForce: null,
    })
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
    const ends = (await history(lab, 'federation', id)).filter((it) => it.startsWith('update '))
    expect(ends).toEqual(['update pending Requested', 'update pending Requested', 'update success Settled'])
  })

  it('leaves no failure of one that was about to fail', async () => {
    const { lab, id, update } = await updating(async (context) => {
      if (isWrong(context)) throw new ImageGone('There is no such image.')
      return { done: true }
    })
    const failing = pause()
    lab.intercept = async ({ step }, run) => {
      if (step === 'RecordFailure') await failing.pass()
      return run()
    }
    const old = await update('wrong')
    await failing.reached
    expect(await ended(lab, await update('right'))).toBe('succeeded')
    failing.open()
    expect(await ended(lab, old)).toMatch(/aborted|succeeded/)
    expect(await federationOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', statusReason: null })
  })
})

describe('what the replaced execution has under way', () => {
  const CONNECTION: Connection = {
    server: 'https://127.0.0.1:9',
    caPem: null,
    tlsServerName: null,
    tlsVerify: true,
    credential: { kind: 'token', token: new Secret('t') },
  }
  const WORKLOADS = { group: 'apps', version: 'v1', plural: 'deployments' }

  it('changes nothing in a cluster any more', async () => {
    const [writes, refused]: [unknown[], unknown[]] = [[], []]
    const under = pause()
    const methods: Partial<KubernetesClient> = {
      apply: async (_, object) => {
        writes.push(object.spec)
        return object
      },
    }
    const client = new Proxy(methods, { get: (it, name) => Reflect.get(it, name) ?? (async () => undefined) })
    const rollout: Rollout = async (context) => {
      const host = context.connect(CONNECTION)
      if (isWrong(context)) await under.pass()
      const { image } = context.federation.properties
      const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: image }
      try {
        await host.apply(WORKLOADS, object)
      } catch (error) {
        refused.push((error as Error).name)
        throw error
      } finally {
        if (isWrong(context)) over.resolve()
      }
      return { done: true }
    }
    const over = Promise.withResolvers<void>()
    const { lab, update } = await updating(rollout, () => client as KubernetesClient)
    await update('wrong')
    await under.reached
    expect(await ended(lab, await update('right'))).toBe('succeeded')
    under.open()
    await over.promise
    expect([writes, refused]).toEqual([['right'], ['OperationSuperseded']])
  })

  it('asks before every call that may change something, and not before reads', async () => {
    const asked: string[] = []
    let last = ''
    const inner = new Proxy({} as KubernetesClient, {
      get: (_, name) => async () => {
        last = String(name)
      },
    })
    const client = guarded(inner, async () => void asked.push('asked'))
    const [resource, object] = [{ group: '', version: 'v1', plural: 'x' }, { metadata: { name: 'a' } } as never]
    const writing: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['create', () => client.create(resource, object)],
      ['apply', () => client.apply(resource, object)],
      ['patch', () => client.patch(resource, 'a', {})],
      ['delete', () => client.delete(resource, 'a')],
      ['post', () => client.post('/x', {})],
      ['put', () => client.put('/x', {})],
      ['raw', () => client.raw('/x', {})],
    ]
    for (const [name, call] of writing) {
      asked.length = 0
      await call()
      expect([name, asked.length, last]).toEqual([name, 1, name])
    }
    asked.length = 0
    await client.get(resource, 'a')
    await client.list(resource)
    await client.raw('/x')
    await client.version()
    expect(asked).toEqual([])
  })
})
