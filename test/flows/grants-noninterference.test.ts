import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../functions/api/routes.ts'
import type { Cluster } from '../../functions/core/cluster/cluster.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { ANA, BEN, openTwoProjects, type TwoProjects } from '../support/flows/two-projects.ts'
import { until } from '../support/local/engine-lab.ts'
import { scanTable } from '../support/store/dynamo-subject.ts'

/**
 * Issue 17, point 4: whatever ana's project calls, in whatever order, changes and reveals nothing of ben's beyond what a grant says. One cluster of ben's is
 * lent, for joins with the right to view; the other is private.
 */

/** What of ben's clusters nobody else may read, in every place that holds text. */
const MARKER = 'greens-own'
const SECRETS = {
  statusReason: `${MARKER}-reason`,
  endpoint: {
    server: `https://${MARKER}.example:6443`,
    serverForPeers: null,
    caPem: `${MARKER}-ca`,
    tlsServerName: null,
    tlsVerify: true,
  },
  nodes: { nodeCount: 97, masterCount: 89, nodeAddresses: [`${MARKER}-node`], masterAddresses: [] },
  driverState: { note: `${MARKER}-state` },
  observation: {
    observedAt: '2026-11-27T10:00:00.000Z',
    healthStatus: 'UNHEALTHY',
    healthReason: { api: `${MARKER}-health` },
    version: `${MARKER}-version`,
    nodeCount: 97,
    masterCount: 89,
  },
} as const satisfies Partial<Cluster>

let two: TwoProjects
let lent: string
let shifting: string
let hidden: string
let grant: string
let fleet: string
let unknown: string
beforeAll(async () => {
  two = await openTwoProjects()
  const owner = { ...BEN, userId: `${MARKER}-user` }
  lent = await two.cluster(owner, 'lent', SECRETS)
  shifting = await two.cluster(owner, 'shifting', SECRETS)
  hidden = await two.cluster(owner, `${MARKER}-name`, SECRETS)
  grant = (await two.call(owner, 'POST', `/v1/clusters/${lent}/grants`, { project_id: 'blue', actions: ['join'] })).body
    .uuid
  fleet = await two.federation({ name: 'fleet' })
  unknown = two.lab.ports.newId()
})
afterAll(() => two.dispose())

const PATHS = ROUTES.filter(({ access, path }) => access !== 'none' && path.startsWith('/v1')).map(
  ({ method, path }) => ({ method, path }),
)

type Call = { route: number; cluster: 'lent' | 'hidden'; body: number; query: number }

/** A value for each kind of request that could name a cluster; `it` is the cluster. */
const bodiesFor = (it: string): unknown[] => [
  [{ op: 'add', path: '/member_ids', value: it }],
  [{ op: 'remove', path: '/member_ids', value: it }],
  [{ op: 'replace', path: '/member_ids', value: [it] }],
  [{ op: 'replace', path: '/name', value: 'mine' }],
  [{ op: 'add', path: '/properties', value: { color: it } }],
  { hostcluster_id: it },
  { hostcluster_id: it, member_ids: [it] },
  { project_id: 'red', actions: ['join', 'host'], rights: 'more' },
  { project_id: 'blue', actions: ['join'] },
  { node_count: 3 },
  { cluster_template: it, max_batch_size: 1 },
  { name: 'mine', cluster_template_id: it },
  { cluster_uuid: it, csr: 'none' },
  {},
  [],
]

const QUERIES = [
  '',
  '?dry_run=true',
  '?force=true',
  '?workloads=delete',
  '?sort_key=name',
  '?limit=1',
  '?sort_key=status_reason',
]

const targetOf = ({ route, query }: Call, cluster: string): string =>
  (PATHS[route]?.path ?? '')
    .replace('{cluster}', cluster)
    .replace('{federation}', 'fleet')
    .replace('{grant}', grant)
    .replace(/\{\w+\}/, cluster) + (QUERIES[query] ?? '')

const bodyOf = ({ route, body }: Call, cluster: string): unknown => {
  const { method } = PATHS[route] ?? {}
  return method === 'GET' || method === 'DELETE' ? undefined : bodiesFor(cluster)[body]
}

const send = (one: Call, cluster: string) =>
  two.call(ANA, PATHS[one.route]?.method ?? 'GET', targetOf(one, cluster), bodyOf(one, cluster))

const calls = fc.record<Call>({
  route: fc.nat(PATHS.length - 1),
  cluster: fc.constantFrom('lent', 'hidden'),
  body: fc.nat(bodiesFor('').length - 1),
  query: fc.nat(QUERIES.length - 1),
})

/** Everything that is stored of a cluster, but for the marks of its uses. */
const storedOf = async (cluster: string): Promise<string[]> => {
  const items = await scanTable(two.lab.ports.stores.table)
  return items
    .filter(({ pk, sk }) => pk?.S === 'P#green' && sk?.S?.includes(cluster) && !sk.S.startsWith('EVENT#'))
    .map(({ uses: _, told: __, ...rest }) => JSON.stringify(rest))
    .sort()
}

/** Ana's federations end in no state that one sequence leaves to the next. */
const cleared = async (): Promise<void> => {
  for (const { uuid } of (await two.call(ANA, 'GET', '/v1/federations')).body.federations) {
    await two.settled(uuid)
    await two.call(ANA, 'DELETE', `/v1/federations/${uuid}?force=true`)
    await two.settled(uuid)
  }
  fleet = await two.federation({ name: 'fleet' })
}

/** Answers of others may differ by what goes on meanwhile, as after changed properties. */
const namesTheCluster = (one: Call): boolean =>
  !JSON.stringify(bodyOf(one, '<it>') ?? '').includes('/properties') &&
  [targetOf(one, '<it>'), JSON.stringify(bodyOf(one, '<it>') ?? '')].some((text) => text.includes('<it>'))

const RUNS = { numRuns: 25, interruptAfterTimeLimit: 20_000 }

describe('calls of another project', () => {
  it('reveal nothing of a cluster but its name and state, and change nothing but its use', async () => {
    const before = [await storedOf(lent), await storedOf(hidden)]
    await fc.assert(
      fc.asyncProperty(fc.array(calls, { minLength: 3, maxLength: 25 }), async (sequence) => {
        for (const one of [
          {
            route: PATHS.findIndex(({ method, path }) => method === 'PATCH' && path === '/v1/federations/{federation}'),
            cluster: 'lent',
            body: 0,
            query: 0,
          } as Call,
          ...sequence,
        ]) {
          const { text } = await send(one, one.cluster === 'lent' ? lent : hidden)
          expect(text).not.toContain(MARKER)
        }
        const seen = await Promise.all(
          ['/v1/federations/detail', '/v1/grants', '/v1/clusters/detail', `/v1/federations/${fleet}/events`].map(
            (target) => two.call(ANA, 'GET', target),
          ),
        )
        expect(seen.map(({ text }) => text).join()).not.toContain(MARKER)
        expect(await storedOf(hidden)).toEqual(before[1])
        await cleared()
        expect(await storedOf(lent)).toEqual(before[0])
      }),
      RUNS,
    )
    expect(two.keysUsedBy('blue')).toEqual(['blue'])
  }, 60_000)

  it('are answered of a private cluster as of one that nobody has', async () => {
    const plain = (text: string): string =>
      text
        .replaceAll(hidden, '<it>')
        .replaceAll(unknown, '<it>')
        .replaceAll(/"(?:request_id|uuid)":"[^"]*"/g, '')
        .replaceAll(/req-[0-9a-f-]+/g, '')
    await fc.assert(
      fc.asyncProperty(calls.filter(namesTheCluster), async (one) => {
        const [there, nowhere] = [await send(one, hidden), await send(one, unknown)]
        expect([there.status, plain(there.text)]).toEqual([nowhere.status, plain(nowhere.text)])
      }),
      { ...RUNS, numRuns: 300 },
    )
  }, 60_000)
})

/** What ben does meanwhile. */
type Move = { by: 'ben'; act: 'grant' | 'revoke' | 'leave'; actions: string[]; rights: string }
type Step = Move | { by: 'ana'; one: Call }

const moves = fc.record<Move>({
  by: fc.constant('ben' as const),
  act: fc.constantFrom('grant', 'grant', 'revoke', 'leave'),
  actions: fc.constantFrom(['join'], ['host'], ['join', 'host']),
  rights: fc.constantFrom('view', 'edit', 'more'),
})
const JOIN = PATHS.findIndex(({ method, path }) => method === 'PATCH' && path === '/v1/federations/{federation}')
const JOIN_IT: Call = { route: JOIN, cluster: 'lent', body: 0, query: 0 }
const joins = fc.constant(JOIN_IT)

/** Gets in, and is put out. */
const ofBen = (act: Move['act']): Step => ({ by: 'ben', act, actions: ['join'], rights: 'view' })
const IN_AND_OUT: Step[] = [ofBen('grant'), { by: 'ana', one: JOIN_IT }, ofBen('revoke'), { by: 'ana', one: JOIN_IT }]
let joined = 0
/** Many of ana's calls are joins, so that there is something to revoke. */
const steps: fc.Arbitrary<Step> = fc.oneof(
  moves,
  fc.oneof(joins, calls).map((one): Step => ({ by: 'ana', one })),
)

const SHIFTING = () => `/v1/clusters/${shifting}`
const grantsNow = async (): Promise<{ uuid: string; state: string; actions: string[] }[]> =>
  (await two.call(BEN, 'GET', `${SHIFTING()}/grants`)).body.grants
const usesNow = async (): Promise<{ uuid: string }[]> =>
  (await two.call(BEN, 'GET', `${SHIFTING()}/federations`)).body.federations

const move = async ({ act, actions, rights }: Move): Promise<void> => {
  const target = {
    grant: async () => `POST ${SHIFTING()}/grants`,
    revoke: async () => `DELETE ${SHIFTING()}/grants/${(await grantsNow()).at(-1)?.uuid ?? unknown}`,
    leave: async () => `DELETE ${SHIFTING()}/federations/${(await usesNow())[0]?.uuid ?? unknown}`,
  }
  const [method = '', path = ''] = (await target[act]()).split(' ')
  const body = act === 'grant' ? { project_id: 'blue', actions, rights } : undefined
  expect((await two.call(BEN, method, path, body)).status).toBeLessThan(500)
}

/** One call of ana's: it shows nothing, and joins nothing that no live grant lets join. */
const callAna = async (one: Call): Promise<void> => {
  const mayJoin = (await grantsNow()).some(({ state, actions }) => state === 'live' && actions.includes('join'))
  const { text, status } = await send(one, one.cluster === 'lent' ? shifting : hidden)
  expect(text).not.toContain(MARKER)
  expect(status).toBeLessThan(500)
  const isJoin = one.route === JOIN && one.body === 0
  if (isJoin && status === 202) joined += 1
  if (isJoin && (one.cluster === 'hidden' || !mayJoin)) expect(status).toBeGreaterThanOrEqual(400)
}

/** What is stored of the cluster itself; its revision tells grants from another. */
const shiftingNow = async (): Promise<string[]> =>
  (await storedOf(shifting)).map((text) => text.replaceAll(/"revision":\{"N":"\d+"\}/g, ''))

/** Ben revokes all that is live, and nobody does anything else. */
const allRevoked = async (): Promise<void> => {
  for (const { uuid, state } of await grantsNow()) {
    if (state === 'live') await two.call(BEN, 'DELETE', `${SHIFTING()}/grants/${uuid}`)
  }
  await until(async () => {
    await reconcile(two.lab.ports)
    return (await usesNow()).length === 0 && (await grantsNow()).length === 0
  }, 30_000)
}

describe('grants that come and go between the calls', () => {
  it('leave no way in, reveal nothing, and leave the cluster as it was', async () => {
    const before = [await shiftingNow(), await storedOf(hidden)]
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 25 }), async (sequence) => {
        for (const step of sequence) {
          if (step.by === 'ben') await move(step)
          else await callAna(step.one)
        }
        await allRevoked()
        expect(await storedOf(hidden)).toEqual(before[1])
        expect(await shiftingNow()).toEqual(before[0])
        await cleared()
      }),
      { ...RUNS, examples: [[IN_AND_OUT]] },
    )
    expect(joined).toBeGreaterThan(0)
    expect(two.keysUsedBy('blue')).toEqual(['blue'])
    expect(two.keysUsedBy('green')).toEqual(['green'])
  }, 90_000)
})
