import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { driverSecretKey } from '../../functions/core/access/credentials.ts'
import type { Federation } from '../../functions/core/federation/federation.ts'
import { operationOf } from '../../functions/core/membership/membership.ts'
import { executionOf } from '../../functions/core/operation/launch.ts'
import { renewDue } from '../../functions/workers/renewals/renew.ts'
import {
  changeFederation,
  createCluster,
  createFederation,
  createWithHost,
  deleteCluster,
  join,
  key,
  membership,
  registered,
  replaceKubeconfig,
  unjoin,
} from '../support/flows/actions.ts'
import { DEATHS } from '../support/flows/deaths.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, history, latestOf, settled } from '../support/flows/look.ts'
import { until } from '../support/local/engine-lab.ts'

/** Every Task of every flow is run, killed and run again, in two ways; the end must be the one of an undisturbed run. */

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

type End = Record<string, unknown>

const documentsOf = (federation: Federation): Promise<(string | undefined)[]> =>
  Promise.all(
    federation.driverSecrets.map(async (name) => {
      const secret = await lab.ports.stores.credentials.get(driverSecretKey(federation, name))
      return secret && `${name} ${JSON.parse(secret.reveal()).serial}`
    }),
  )

/** What is left of a federation and of its clusters, without ids and times. */
const endOf = async (id: string, clusters: Record<string, string>): Promise<End> => {
  const names = Object.entries({ federation: id, ...clusters })
  const hide = (text: string): string =>
    names.reduce(
      (said, [name, value]) => said.replaceAll(value, name).replaceAll(value.replaceAll('-', '').slice(-10), name),
      text,
    )
  const federation = await settled(lab, id)
  const memberships = await lab.ports.stores.memberships.listOf(key(id))
  const held = Object.fromEntries(Object.entries(clusters).map(([name, it]) => [name, lab.world.holds(it).map(hide)]))
  const uses = await Promise.all(
    Object.entries(clusters).map(async ([name, it]) => [name, (await clusterOf(lab, it))?.uses.map(hide).sort()]),
  )
  return {
    federation:
      federation === 'gone'
        ? federation
        : {
            status: federation.status,
            reason: hide(federation.statusReason ?? ''),
            members: federation.memberIds.map(hide),
            made: federation.made.length,
            change: federation.change,
            conditions: federation.conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort(),
            documents: await documentsOf(federation),
          },
    memberships: memberships.map((it) => ({
      state: it.state,
      made: it.made.length,
      operation: operationOf(it),
      leftovers: 'leftovers' in it ? it.leftovers : [],
    })),
    held,
    uses: Object.fromEntries(uses),
    history: (await history(lab, 'federation', id)).sort(),
  }
}

const clusterEnd = async (id: string): Promise<End> => {
  const cluster = await clusterOf(lab, id)
  return {
    status: cluster?.status,
    reason: cluster?.statusReason?.replaceAll(id, 'id'),
    identity: cluster?.identity && true,
    up: lab.clusters.up.has(id),
    history: await history(lab, 'cluster', id),
  }
}

const plain = async (properties: Record<string, string> = {}, labels: Record<string, string> = {}) => {
  const [host, member] = [await registered(lab, 'host'), await registered(lab, 'member', labels)]
  const { id } = await createFederation(lab, host, { properties })
  await settled(lab, id)
  return { id, host, member }
}
const joined = async (properties: Record<string, string> = {}, labels: Record<string, string> = {}) => {
  const it = await plain(properties, labels)
  await join(lab, it.id, [it.member])
  await settled(lab, it.id)
  return it
}

/** Each prepares undisturbed, then gives what runs under the death, then what is left. */
type Story = () => Promise<{ run: () => Promise<unknown>; end: () => Promise<End> }>

const onFederation =
  (
    prepare: () => Promise<{ id: string; host: string; member: string }>,
    act: (it: { id: string; member: string }) => Promise<unknown>,
  ): Story =>
  async () => {
    const it = await prepare()
    return { run: () => act(it), end: () => endOf(it.id, { host: it.host, member: it.member }) }
  }

const federationCreate =
  (properties: Record<string, string>, labels: Record<string, string> = {}): Story =>
  async () => {
    const [host, member] = [await registered(lab, 'host'), await registered(lab, 'member', labels)]
    const { id, ref } = await createFederation(lab, host, { members: [member], properties, launched: false })
    const operationId = ref.name.slice(0, -2)
    return {
      run: async () => {
        await lab.engine.start(ref, { projectId: 'blue', entityId: id, operationId, attempt: 1, mode: 'do' })
        await ended(lab, ref)
      },
      end: () => endOf(id, { host, member }),
    }
  }

/** `labels` are the host's. What is deleted at the end, the host too, is over before the end is compared. */
const withHost =
  (options: Parameters<typeof createWithHost>[1], then: 'create' | 'delete' = 'create'): Story =>
  async () => {
    const member = await registered(lab, 'member')
    const begin = () => createWithHost(lab, { ...options, members: [member] })
    const before = then === 'delete' ? await begin() : undefined
    if (before) await settled(lab, before.id)
    let it = before
    return {
      run: async () => {
        it ??= await begin()
        if (then === 'delete') await changeFederation(lab, it.id, 'delete')
        await settled(lab, it.id)
      },
      end: async () => {
        const { id, host } = it!
        // Its deletion begins with the commit that removes the federation, and is launched after it.
        await until(async () => !(await clusterOf(lab, host))?.status.endsWith('_IN_PROGRESS'))
        return { federation: await endOf(id, { host, member }), host: await clusterEnd(host) }
      },
    }
  }

const clusterStory =
  (labels: Record<string, string>, kind: 'create' | 'update' | 'delete'): Story =>
  async () => {
    const { id, ref } = await createCluster(lab, 'it', { labels: kind === 'create' ? labels : {} })
    if (kind === 'create') return { run: () => ended(lab, ref), end: () => clusterEnd(id) }
    await ended(lab, ref)
    const { clusters, commit } = lab.ports.stores
    const cluster = (await clusters.get(key(id)))!
    await commit([clusters.change(cluster, { magnum: { ...cluster.magnum, labels } })])
    const begin = () => (kind === 'update' ? replaceKubeconfig(lab, key(id), 'new') : deleteCluster(lab, id))
    return { run: async () => ended(lab, await begin()), end: () => clusterEnd(id) }
  }

const rotate = async ({ id, member }: { id: string; member: string }) => {
  lab.clock.advance(3_000_000)
  await renewDue(lab.ports)
  await ended(lab, executionOf('credential-rotate', operationOf((await membership(lab, id, member))!)!))
}

const rotateCertificates = async ({ id }: { id: string }) => {
  lab.clock.advance(3_000_000)
  await renewDue(lab.ports)
  await ended(lab, await latestOf(lab, 'federation-rotate', id))
}

const CERTIFICATES = { 'memory-certificate-seconds': '3600' }
const TOKENS = { 'memory-token-seconds': '3600' }
const STORIES: Record<string, Story> = {
  'federation-create': federationCreate({}),
  'federation-create, undone': federationCreate({ 'memory-fail-phase': 'verify' }),
  'federation-create with its host': withHost({}),
  'federation-create with its host, undone by the host': withHost({ labels: { 'memory-fail-phase': 'identify' } }),
  'federation-create with its host, undone': withHost({ properties: { 'memory-fail-phase': 'verify' } }),
  'federation-create with its host, undone and kept': withHost({
    keep: true,
    properties: { 'memory-fail-phase': 'verify' },
  }),
  'federation-delete with its host': withHost({}, 'delete'),
  'federation-update': onFederation(plain, ({ id }) => changeFederation(lab, id, 'update', { properties: { a: 'b' } })),
  'federation-update, undone': onFederation(plain, ({ id }) =>
    changeFederation(lab, id, 'update', { properties: { 'memory-fail-phase': 'properties' } }),
  ),
  'federation-delete': onFederation(joined, ({ id }) => changeFederation(lab, id, 'delete')),
  'federation-delete, undone': onFederation(
    () => joined({}, { 'memory-fail-step': 'clean' }),
    ({ id }) => changeFederation(lab, id, 'delete'),
  ),
  'member-join': onFederation(plain, ({ id, member }) => join(lab, id, [member])),
  'member-join, undone': onFederation(
    () => plain({}, { 'memory-fail-step': 'ready' }),
    ({ id, member }) => join(lab, id, [member]),
  ),
  'member-unjoin': onFederation(joined, ({ id, member }) => unjoin(lab, id, member)),
  'member-unjoin, failed': onFederation(
    () => joined({}, { 'memory-fail-step': 'clean' }),
    ({ id, member }) => unjoin(lab, id, member),
  ),
  'member-unjoin, forced': onFederation(
    () => joined({}, { 'memory-fail-step': 'clean' }),
    ({ id, member }) => unjoin(lab, id, member, { force: true }),
  ),
  'credential-rotate': onFederation(() => joined(TOKENS), rotate),
  'federation-rotate': onFederation(() => joined(CERTIFICATES), rotateCertificates),
  'federation-rotate, undone': onFederation(
    () => joined({ ...CERTIFICATES, 'memory-fail-phase': 'certificates' }),
    rotateCertificates,
  ),
  'cluster-create': clusterStory({}, 'create'),
  'cluster-create, undone': clusterStory({ 'memory-fail-phase': 'identify' }, 'create'),
  'cluster-update': clusterStory({}, 'update'),
  'cluster-update, undone': clusterStory({ 'memory-fail-phase': 'update' }, 'update'),
  'cluster-delete': clusterStory({}, 'delete'),
  'cluster-delete, undone': clusterStory({ 'memory-fail-phase': 'remove' }, 'delete'),
}

describe.each(Object.entries(STORIES))('%s ends the same', (_, story) => {
  it('whenever it is killed and run again', async () => {
    const ends: Record<string, End> = {}
    for (const [how, die] of Object.entries(DEATHS)) {
      lab.reset()
      const { run, end } = await story()
      // Created executions run at once: the death must be there before the launch.
      die(lab)
      await run()
      ends[how] = await end()
      lab.reset()
    }
    const { 'not at all': undisturbed, ...others } = ends
    for (const [how, end] of Object.entries(others)) expect(end, how).toEqual(undisturbed)
  })
})
