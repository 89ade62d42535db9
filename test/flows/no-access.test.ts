import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ApiApp, apiApp } from '../../functions/api/app.ts'
import type { Principal } from '../../functions/core/values/identity.ts'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import { clusterProfileV1 } from '../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { type Answer, API_SETTINGS, callApp } from '../support/api/lab.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { ended, latestOf } from '../support/flows/look.ts'
import { until } from '../support/local/engine-lab.ts'

/**
 * No sequence of requests gives a principal a credential, a token or a Secret that policies do not give it: two projects, three roles, random requests,
 * real flows, and an observation of every cluster after each sequence. Whoever registered a cluster reads all of its Secrets.
 */

const as = (userId: string, projectId: string, ...roles: Principal['roles']): Principal => ({
  userId,
  projectId,
  roles,
  source: 'token-file',
})
const PRINCIPALS = [
  as('root', 'blue', 'admin'),
  as('olga', 'blue', 'member'),
  as('mallory', 'blue', 'member'),
  as('rita', 'blue', 'reader'),
  as('bob', 'green', 'member'),
  as('chief', 'green', 'admin'),
] as const
/** Clusters by name, with who registered them. */
const OWNERS = { prod: PRINCIPALS[1], own: PRINCIPALS[2], foreign: PRINCIPALS[4] } as const
type Name = keyof typeof OWNERS
const NAMES = Object.keys(OWNERS) as Name[]
const ROLES = ['view', 'edit', 'cluster-admin', 'admin'] as const

type Request = {
  as: Principal
  method: string
  path: (ids: Ids) => string
  body?: (ids: Ids) => unknown
  about: string
  /** Clusters in which rights may come of it. */
  gives: readonly Name[]
}
type Ids = Record<Name, string> & { federations: string[] }

let lab: FlowLab
let app: ApiApp
let servers: Record<Name, SimulatedKubernetes>
let impostor: SimulatedKubernetes
let ids: Ids

beforeAll(async () => {
  lab = await openFlowLab({ clusterDriver: externalV1, federationDriver: clusterProfileV1, connect })
  app = apiApp(lab.ports, API_SETTINGS)
  const [prod, own, foreign, fourth] = await Promise.all(NAMES.concat('prod').map(() => startSimulatedKubernetes()))
  if (!prod || !own || !foreign || !fourth) throw new Error('four servers were asked for')
  servers = { prod, own, foreign }
  impostor = fourth
  ids = { prod: '', own: '', foreign: '', federations: [] }
  for (const name of NAMES) {
    const body = { name, kubeconfig: servers[name].kubeconfig }
    const answer = await callApp(app, 'POST', '/v1/clusters', { as: OWNERS[name], body })
    ids[name] = answer.body.uuid
    await ended(lab, await latestOf(lab, 'cluster-create', ids[name]))
  }
})
afterAll(async () => {
  await Promise.all([...Object.values(servers), impostor].map((server) => server.close()))
  await lab.dispose()
})

const anyPrincipal = fc.constantFrom(...PRINCIPALS)
const anyName = fc.constantFrom(...NAMES)
const anyRole = fc.constantFrom(...ROLES)
const fleet = ({ federations }: Ids): string => `/v1/federations/${federations.at(-1) ?? 'none'}`

const create = fc.record({ as: anyPrincipal, host: anyName, member: anyName, role: anyRole }).map(
  ({ as, host, member, role }): Request => ({
    as,
    method: 'POST',
    path: () => '/v1/federations',
    body: (ids) => ({ hostcluster_id: ids[host], member_ids: [ids[member]], properties: { 'member-role': role } }),
    about: `host ${host}, member ${member}, ${role}`,
    gives: [host, member],
  }),
)
const change = (body: (ids: Ids) => unknown, about: string, gives: readonly Name[] = NAMES) =>
  anyPrincipal.map((as): Request => ({ as, method: 'PATCH', path: fleet, body, about, gives }))
const join = anyName.chain((name) =>
  change((ids) => [{ op: 'add', path: '/member_ids', value: ids[name] }], `join ${name}`, [name]),
)
const setRole = anyRole.chain((role) =>
  change(() => [{ op: 'replace', path: '/properties', value: { 'member-role': role } }], `member-role ${role}`),
)
const publish = change(() => [{ op: 'add', path: '/properties/consumer-namespaces', value: 'default' }], 'publish')
const replaceKubeconfig = fc.record({ as: anyPrincipal, name: anyName, accepts: fc.boolean() }).map(
  ({ as, name, accepts }): Request => ({
    as,
    method: 'PATCH',
    path: (ids) => `/v1/clusters/${ids[name]}${accepts ? '?accept_identity=true' : ''}`,
    body: () => [{ op: 'replace', path: '/kubeconfig', value: impostor.kubeconfig }],
    about: `kubeconfig of ${name}`,
    gives: [],
  }),
)
const READS = ['', '/detail', ...NAMES.map((name) => `/${name}`)] as const
const read = fc
  .record({ as: anyPrincipal, what: fc.constantFrom(...READS), kind: fc.constantFrom('clusters', 'federations') })
  .map(
    ({ as, what, kind }): Request => ({
      as,
      method: 'GET',
      path: () => `/v1/${kind}${what}`,
      about: `${kind}${what}`,
      gives: [],
    }),
  )
const kubeconfig = anyPrincipal.map(
  (as): Request => ({ as, method: 'GET', path: (ids) => `${fleet(ids)}/kubeconfig`, about: 'kubeconfig', gives: [] }),
)
const remove = anyPrincipal.map(
  (as): Request => ({ as, method: 'DELETE', path: (ids) => `${fleet(ids)}?force=true`, about: 'delete', gives: [] }),
)
const anyRequest = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 4, arbitrary: join },
  { weight: 3, arbitrary: setRole },
  { weight: 2, arbitrary: publish },
  { weight: 2, arbitrary: replaceKubeconfig },
  { weight: 2, arbitrary: read },
  kubeconfig,
  remove,
)

/** Everything that is a credential somewhere. */
const secretsOf = (): string[] => [
  ...[...Object.values(servers), impostor].map(({ token }) => token),
  ...NAMES.flatMap((name) => tokensIn(servers[name])),
]

/** Bearer tokens that lie in a cluster's Secrets, whoever takes them. */
const tokensIn = ({ cluster }: SimulatedKubernetes): string[] =>
  cluster.store
    .list({ group: '', plural: 'secrets' })
    .flatMap((secret) => Object.values((secret as { data?: Record<string, string> }).data ?? {}))
    .flatMap(
      (value) =>
        Buffer.from(value, 'base64')
          .toString('utf8')
          .match(/ey[\w-]+\.[\w-]+\.[\w-]+/g) ?? [],
    )

/** The ClusterRole that a token of a member has there. */
const roleIn = ({ cluster }: SimulatedKubernetes, user: string): string[] => {
  const bindings = cluster.store.list({ group: 'rbac.authorization.k8s.io', plural: 'clusterrolebindings' }) as {
    roleRef?: { name: string }
    subjects?: { name: string; namespace?: string }[]
  }[]
  return bindings
    .filter(({ subjects = [] }) =>
      subjects.some(({ name, namespace }) => user === `system:serviceaccount:${namespace}:${name}`),
    )
    .map(({ roleRef }) => roleRef?.name ?? '')
}

/** What somebody who may give more than `edit` in a cluster agreed to, by request. */
const mayGiveMore = ({ userId, projectId, roles }: Principal, name: Name): boolean =>
  projectId === OWNERS[name].projectId && (userId === OWNERS[name].userId || roles.includes('admin'))

const settle = () => until(async () => (await lab.engine.list()).every(({ status }) => status !== 'RUNNING'), 60_000)

const send = async (request: Request): Promise<Answer> => {
  const body = request.body?.(ids)
  const answer = await callApp(app, request.method, request.path(ids), {
    as: request.as,
    ...(body === undefined ? {} : { body }),
  })
  if (answer.status === 202 && request.method === 'POST') ids.federations.push(answer.body.uuid)
  await settle()
  return answer
}

/** Clusters whose owner, or an administrator, agreed to whatever rights the request leads to. */
const agreedBy = (request: Request): Name[] => request.gives.filter((name) => mayGiveMore(request.as, name))

/** Sends a request, checks its answer, and tells what was agreed to by it. */
const play = async (request: Request): Promise<Name[]> => {
  const { status, text } = await send(request)
  for (const secret of secretsOf()) expect(text).not.toContain(secret)
  expect(status, request.about).not.toBe(500)
  return status === 202 ? agreedBy(request) : []
}

/** A token that lies in one cluster and that another takes. */
type Given = { to: Name; of: Name; more: string[] }

const givenBy = (to: Name, token: string): Given[] =>
  NAMES.filter((of) => of !== to).flatMap((of) => {
    const user = servers[of].cluster.tokens.authenticate(token)?.username
    const more = user === undefined ? [] : roleIn(servers[of], user).filter((role) => !['view', 'edit'].includes(role))
    return user === undefined ? [] : [{ to, of, more }]
  })

const given = (): Given[] => NAMES.flatMap((to) => tokensIn(servers[to]).flatMap((token) => givenBy(to, token)))

const deleteAll = async (): Promise<void> => {
  for (const id of ids.federations.splice(0)) {
    for (const admin of [PRINCIPALS[0], PRINCIPALS[5]]) {
      await callApp(app, 'DELETE', `/v1/federations/${id}?force=true`, { as: admin })
    }
  }
  await settle()
}

it('gives nobody a credential, a token or a Secret that policies do not give', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRequest, { minLength: 6, maxLength: 14 }), async (requests) => {
      const agreed = new Set<Name>()
      for (const request of requests) for (const name of await play(request)) agreed.add(name)
      const tokens = given()
      expect(tokens.filter(({ to, of }) => OWNERS[to].projectId !== OWNERS[of].projectId)).toEqual([])
      expect(tokens.filter(({ of, more }) => more.length > 0 && !agreed.has(of))).toEqual([])
      await deleteAll()
    }),
    { numRuns: 25 },
  )
})

it('is a harness in which an administrator does give more, and it is seen', async () => {
  const root = PRINCIPALS[0]
  const body = { hostcluster_id: ids.own, member_ids: [ids.prod], properties: { 'member-role': 'cluster-admin' } }
  const { body: made } = await callApp(app, 'POST', '/v1/federations', { as: root, body })
  await settle()
  const users = tokensIn(servers.own).flatMap(
    (token) => servers.prod.cluster.tokens.authenticate(token)?.username ?? [],
  )
  expect(users.flatMap((user) => roleIn(servers.prod, user))).toContain('cluster-admin')
  await callApp(app, 'DELETE', `/v1/federations/${made.uuid}?force=true`, { as: root })
  await settle()
})
