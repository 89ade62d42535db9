import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../../functions/api/routes.ts'
import type { Principal, Role } from '../../../functions/core/values/identity.ts'
import { PROJECT_LIMITS } from '../../../functions/core/values/quota.ts'
import { cedarPolicy } from '../../../functions/policy/cedar-policy.ts'
import { givenCluster, givenTemplate, settleFederation } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { defaultPolicies } from '../../support/policy.ts'

/**
 * Who gets what answer of which route about what the project green has, which lends a cluster to the project blue (issue 17: principal, action, object,
 * grant). A grant opens no route: it lets federations join and be hosted, and nothing else.
 */

const somebody = (userId: string, projectId: string, ...roles: Role[]): Principal => ({
  userId,
  projectId,
  roles,
  source: 'token-file',
})

const PRINCIPALS = {
  'who made it': somebody('ben', 'green', 'member'),
  'another member': somebody('bea', 'green', 'member'),
  'a reader': somebody('bob', 'green', 'reader'),
  'a member of the borrower': somebody('ana', 'blue', 'member'),
  'a reader of the borrower': somebody('art', 'blue', 'reader'),
  'a member of no party': somebody('cleo', 'red', 'member'),
  'an administrator of the borrower': somebody('root', 'blue', 'admin'),
}
const [BEN, , , ANA] = Object.values(PRINCIPALS) as [Principal, Principal, Principal, Principal]

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const TRIGGER = { name: 'pager', events: ['cluster.*'], target: { url: 'https://example.org/hook' } }

/** One that may be replayed, of a trigger that may be tested again. */
const deadDelivery = async (triggerId: string): Promise<string> => {
  const { triggers, commit } = lab.stores
  const { id } = (await lab.call('POST', `/v1/triggers/${triggerId}/actions/test`, { as: BEN, body: {} })).body
  const delivery = await triggers.getDelivery({ projectId: 'green', triggerId, id })
  const trigger = await triggers.get({ projectId: 'green', id: triggerId })
  if (delivery === undefined || trigger === undefined) throw new Error('nothing was tested')
  await commit([
    triggers.changeDelivery(delivery, { state: 'dead', attempts: 12, nextAt: null, last: null }),
    triggers.change(trigger, { testedAt: null }),
  ])
  return id
}

/** A cluster of ben's, lent to blue for everything, with a federation of ana's that uses it. */
const given = async () => {
  const cluster = await givenCluster(lab, { as: BEN, name: 'edge' })
  const grant = (
    await lab.call('POST', `/v1/clusters/${cluster}/grants`, {
      as: BEN,
      body: { project_id: 'blue', actions: ['join', 'host'], rights: 'edit' },
    })
  ).body.uuid
  const hub = await givenCluster(lab, { as: ANA })
  const body = { hostcluster_id: hub, member_ids: [cluster] }
  const federation = (await lab.call('POST', '/v1/federations', { as: ANA, body })).body.uuid
  await settleFederation(lab, federation)
  for (const resource of ['Trigger', 'Member']) {
    await lab.call('POST', '/v1/quotas', { body: { project_id: 'green', resource, hard_limit: 500 } })
  }
  const trigger = (await lab.call('POST', '/v1/triggers', { as: BEN, body: TRIGGER })).body.uuid
  const delivery = await deadDelivery(trigger)
  const template = (await givenTemplate(lab, { projectId: 'green', userId: 'ben' })).id
  const hook = (await lab.call('POST', `/v1/clusters/${cluster}/hooks`, { as: BEN, body: { name: 'pager' } })).body.uuid
  return { cluster, grant, federation, trigger, delivery, template, hook }
}
type Given = Awaited<ReturnType<typeof given>>

/** Of ben's cluster, by the path or by the body. */
const BODIES: Readonly<Record<string, (it: Given) => unknown>> = {
  'PATCH /v1/clusters/{cluster}': () => [{ op: 'replace', path: '/node_count', value: 2 }],
  'POST /v1/clusters/{cluster}/actions/resize': () => ({ node_count: 2 }),
  'POST /v1/clusters/{cluster}/actions/upgrade': () => ({ cluster_template: 'none', max_batch_size: 1 }),
  'POST /v1/clusters/{cluster}/nodegroups': () => ({ name: 'more', node_count: 1 }),
  'PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}': () => [{ op: 'replace', path: '/max_node_count', value: 9 }],
  'POST /v1/clusters/{cluster}/hooks': () => ({ name: 'pager' }),
  'POST /v1/clusters/{cluster}/grants': () => ({ project_id: 'red', actions: ['join'] }),
  'POST /v1/clusters/{cluster}/kubeconfig': () => ({ role: 'viewer' }),
  'POST /v1/certificates': ({ cluster }) => ({ cluster_uuid: cluster, csr: 'none' }),
  'PATCH /v1/certificates/{cluster}': () => ({}),
  'PATCH /v1/credentials/{cluster}': () => ({}),
  'POST /v1/federations': ({ cluster }) => ({ hostcluster_id: cluster }),
  'PATCH /v1/federations/{federation}': ({ cluster }) => [{ op: 'remove', path: '/member_ids', value: cluster }],
  'POST /v1/federations/{federation}/kubeconfig': () => ({}),
  'POST /v1/clustertemplates': () => ({ coe: 'kubernetes', image_id: 'fedora' }),
  'PATCH /v1/clustertemplates/{clustertemplate}': () => [{ op: 'replace', path: '/name', value: 'other' }],
  'POST /v1/quotas': () => ({ project_id: 'green', resource: 'Federation', hard_limit: 500 }),
  'PATCH /v1/quotas/{project}/{resource}': () => ({ hard_limit: 400 }),
  'POST /v1/triggers': () => TRIGGER,
  'POST /v1/triggers/{trigger}/actions/test': () => ({}),
  'POST /v1/triggers/{trigger}/deliveries/{delivery}/actions/replay': () => ({}),
  'POST /v1/triggers/{trigger}/actions/rotate-secret': () => ({}),
  'POST /v1/federations/{federation}/actions/release-selector': () => ({}),
  'POST /v1/federations/{federation}/actions/rotate-members': () => ({}),
  'POST /v1/federations/{federation}/members/{cluster}/actions/rotate': () => ({}),
  'POST /v1/clusters/{cluster}/actions/observe': () => ({}),
}

/** Every route that asks who calls. */
const KEYED = ROUTES.flatMap((route) => (route.access === 'none' ? [] : [`${route.method} ${route.path}`]))

/** Made anew once a request has changed it. */
let standing: Promise<Given> | undefined

const answer = async (route: string, as: Principal): Promise<number> => {
  standing ??= given()
  const it = await standing
  const [method = '', path = ''] = route.split(' ')
  const target = path
    .replace('{cluster}', it.cluster)
    .replace('{federation}', it.federation)
    .replace('{grant}', it.grant)
    .replace('{trigger}', it.trigger)
    .replace('{delivery}', it.delivery)
    .replace('{clustertemplate}', it.template)
    .replace('{project}', 'green')
    .replace('{resource}', 'Member')
    .replace('{driver}', 'memory@1')
    .replace('{nodegroup}', 'default-worker')
    .replace('{hook}', it.hook)
  const headers = { 'OpenStack-API-Version': 'container-infra latest' }
  const body = BODIES[route]?.(it)
  const { status } = await lab.call(method, target, { as, headers, ...(body === undefined ? {} : { body }) })
  if (method !== 'GET' && status < 300) standing = undefined
  return status
}

/** By route the answers to the principals, in their order. */
const TABLE: Readonly<Record<string, string>> = {
  'GET /v1/clusters': '200 200 200 200 200 200 200',
  'GET /v1/clusters/detail': '200 200 200 200 200 200 200',
  'GET /v1/clusters/{cluster}': '200 200 200 404 404 404 200',
  'GET /v1/clusters/{cluster}/events': '200 200 200 404 404 404 200',
  'POST /v1/clusters/{cluster}/actions/observe': '202 202 403 404 403 404 404',
  'GET /v1/clusters/{cluster}/actions/observe': '200 200 200 404 404 404 404',
  'POST /v1/clusters/{cluster}/hooks': '201 201 403 404 403 404 404',
  'GET /v1/clusters/{cluster}/hooks': '200 200 200 404 404 404 404',
  'DELETE /v1/clusters/{cluster}/hooks/{hook}': '204 204 403 404 403 404 404',
  'GET /v1/clustertemplates': '200 200 200 200 200 200 200',
  'POST /v1/clustertemplates': '201 201 403 201 403 201 201',
  'GET /v1/clustertemplates/detail': '200 200 200 200 200 200 200',
  'GET /v1/clustertemplates/{clustertemplate}': '200 200 200 404 404 404 200',
  'PATCH /v1/clustertemplates/{clustertemplate}': '200 200 403 404 403 404 200',
  'DELETE /v1/clustertemplates/{clustertemplate}': '204 204 403 404 403 404 204',
  'GET /v1/clusters/{cluster}/nodegroups': '200 200 200 404 404 404 200',
  'GET /v1/clusters/{cluster}/nodegroups/{nodegroup}': '200 200 200 404 404 404 200',
  'GET /v1/certificates/{cluster}': '200 403 403 404 404 404 404',
  'GET /v1/credentials/inventory': '200 200 200 200 200 200 200',
  'GET /v1/federations': '200 200 200 200 200 200 200',
  'GET /v1/federations/detail': '200 200 200 200 200 200 200',
  'GET /v1/federations/{federation}': '404 404 404 200 200 404 200',
  'GET /v1/federations/{federation}/members': '404 404 404 200 200 404 200',
  'GET /v1/federations/{federation}/members/{cluster}': '404 404 404 200 200 404 200',
  'GET /v1/federations/{federation}/events': '404 404 404 200 200 404 200',
  'POST /v1/federations/{federation}/actions/release-selector': '404 404 403 409 403 404 409',
  'POST /v1/federations/{federation}/members/{cluster}/actions/rotate': '404 404 403 202 403 404 202',
  'POST /v1/federations/{federation}/actions/rotate-members': '404 404 403 202 403 404 202',
  'GET /v1/drivers': '200 200 200 200 200 200 200',
  'GET /v1/drivers/{driver}': '200 200 200 200 200 200 200',
  'GET /v1/quotas': '403 403 403 403 403 403 200',
  'POST /v1/quotas': '403 403 403 403 403 403 201',
  'GET /v1/quotas/{project}/{resource}': '200 200 200 403 403 403 200',
  'PATCH /v1/quotas/{project}/{resource}': '403 403 403 403 403 403 202',
  'DELETE /v1/quotas/{project}/{resource}': '403 403 403 403 403 403 204',
  'GET /v1/stats': '200 200 200 200 200 200 200',
  'GET /v1/mservices': '403 403 403 403 403 403 200',
  'GET /v1/events': '200 200 200 200 200 200 200',
  'GET /v1/triggers': '200 200 200 200 200 200 200',
  'GET /v1/triggers/{trigger}': '200 200 200 404 404 404 404',
  'DELETE /v1/triggers/{trigger}': '204 204 403 404 403 404 404',
  'GET /v1/triggers/{trigger}/deliveries': '200 200 200 404 404 404 404',
  'POST /v1/triggers/{trigger}/actions/test': '202 202 403 404 403 404 404',
  'POST /v1/triggers/{trigger}/deliveries/{delivery}/actions/replay': '202 202 403 404 403 404 404',
  'GET /v1/whoami': '200 200 200 200 200 200 200',
  'POST /v1/clusters': '400 400 403 400 403 400 400',
  'PATCH /v1/clusters/{cluster}': '202 202 403 404 403 404 202',
  'DELETE /v1/clusters/{cluster}': '409 409 403 404 403 404 409',
  'POST /v1/clusters/{cluster}/actions/resize': '202 202 403 404 403 404 404',
  'POST /v1/clusters/{cluster}/actions/upgrade': '404 404 403 404 403 404 404',
  'POST /v1/clusters/{cluster}/kubeconfig': '400 400 400 404 404 404 404',
  'POST /v1/clusters/{cluster}/nodegroups': '409 409 403 404 403 404 404',
  'PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}': '202 202 403 404 403 404 404',
  'DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}': '400 400 403 404 403 404 404',
  'POST /v1/certificates': '400 403 403 400 403 400 400',
  'PATCH /v1/certificates/{cluster}': '202 202 403 404 403 404 404',
  'PATCH /v1/credentials/{cluster}': '202 202 403 404 403 404 403',
  'POST /v1/federations': '202 202 403 202 403 404 202',
  'PATCH /v1/federations/{federation}': '404 404 403 202 403 404 202',
  'DELETE /v1/federations/{federation}': '404 404 403 204 403 404 204',
  'GET /v1/federations/{federation}/kubeconfig': '403 403 403 403 403 403 400',
  'POST /v1/federations/{federation}/kubeconfig': '403 403 403 403 403 403 400',
  'POST /v1/triggers': '201 201 403 201 403 201 201',
  'POST /v1/triggers/{trigger}/actions/rotate-secret': '200 200 403 404 403 404 404',
  'GET /v1/grants': '200 200 200 200 200 200 200',
  'GET /v1/clusters/{cluster}/grants': '200 200 200 404 404 404 404',
  'GET /v1/clusters/{cluster}/grants/{grant}': '200 200 200 404 404 404 404',
  'GET /v1/clusters/{cluster}/federations': '200 200 200 404 404 404 404',
  'POST /v1/clusters/{cluster}/grants': '201 201 403 404 403 404 404',
  'DELETE /v1/clusters/{cluster}/grants/{grant}': '204 204 403 404 403 404 404',
  'DELETE /v1/clusters/{cluster}/federations/{federation}': '202 202 403 404 403 404 404',
}

describe('each route', () => {
  it('has a row', () => {
    expect(Object.keys(TABLE)).toEqual(KEYED)
  })

  it.each(Object.entries(TABLE))('%s answers %s', async (route, row) => {
    const answers: number[] = []
    for (const as of Object.values(PRINCIPALS)) answers.push(await answer(route, as))
    expect(answers.join(' ')).toBe(row)
  })
})

type Lent = { to?: string; actions?: string[]; rights?: string; over?: 'revoked' | 'expired' }

const HOUR_MS = 3_600_000
const TWO_HOURS_ON = { now: () => new Date(Date.now() + 2 * HOUR_MS) }

/** What ana's project, a federation of `kube@1` and its properties get of a cluster that is lent so. */
const borrow = async (as: Principal, side: 'host' | 'member', lent: Lent | null, role = 'view') => {
  const cluster = await givenCluster(lab, { as: BEN, body: { kubeconfig: kubeconfigText() } })
  const hub = await givenCluster(lab, { as, body: { kubeconfig: kubeconfigText() } })
  if (lent !== null) await lend(cluster, lent)
  const properties = { 'member-role': role }
  const body = side === 'host' ? { hostcluster_id: cluster } : { hostcluster_id: hub, member_ids: [cluster] }
  const app = lent?.over === 'expired' ? lab.appOver({ clock: TWO_HOURS_ON }) : lab.app
  const request = { as, body: { driver: 'kube@1', properties, ...body } }
  const answer = await callApp(app, 'POST', '/v1/federations', request)
  return [answer.status, answer.body.errors?.[0].detail ?? '']
}

const lend = async (cluster: string, { to = 'blue', actions = ['join', 'host'], rights = 'edit', over }: Lent) => {
  const target = `/v1/clusters/${cluster}/grants`
  const expires_at = over === 'expired' ? new Date(Date.now() + HOUR_MS).toISOString() : undefined
  const body = { project_id: to, actions, rights, expires_at }
  const { uuid } = (await lab.call('POST', target, { as: BEN, body })).body
  if (over === 'revoked') await lab.call('DELETE', `${target}/${uuid}`, { as: BEN })
}

const NOBODYS = [404, expect.stringMatching(/^Cluster "[^"]+" could not be found in your project\.$/)]
const TAKEN = [202, '']
const lacks = (rule: string, side: string) => [
  403,
  expect.stringMatching(new RegExp(`${rule} .* as ${side} of .* only: ask`)),
]

/** `kube@1` takes `edit` in its host, and in members what `member-role` says. */
describe('a cluster of another project, by its grant', () => {
  it.each<{ grant: string; side: 'host' | 'member'; lent: Lent | null; role: string; expected: unknown[] }>([
    { grant: 'none', side: 'member', lent: null, role: 'view', expected: NOBODYS },
    { grant: 'none', side: 'host', lent: null, role: 'view', expected: NOBODYS },
    { grant: 'to another project', side: 'member', lent: { to: 'red' }, role: 'view', expected: NOBODYS },
    { grant: 'revoked', side: 'member', lent: { over: 'revoked' }, role: 'view', expected: NOBODYS },
    { grant: 'expired', side: 'member', lent: { over: 'expired' }, role: 'view', expected: NOBODYS },
    { grant: 'to host', side: 'member', lent: { actions: ['host'] }, role: 'view', expected: NOBODYS },
    { grant: 'to join', side: 'host', lent: { actions: ['join'] }, role: 'view', expected: NOBODYS },
    {
      grant: 'to join, view',
      side: 'member',
      lent: { actions: ['join'], rights: 'view' },
      role: 'view',
      expected: TAKEN,
    },
    {
      grant: 'to join, view',
      side: 'member',
      lent: { actions: ['join'], rights: 'view' },
      role: 'edit',
      expected: lacks('cluster:join', 'member'),
    },
    {
      grant: 'to join, edit',
      side: 'member',
      lent: { actions: ['join'], rights: 'edit' },
      role: 'edit',
      expected: TAKEN,
    },
    {
      grant: 'to join, edit',
      side: 'member',
      lent: { actions: ['join'], rights: 'edit' },
      role: 'admin',
      expected: lacks('cluster:join', 'member'),
    },
    {
      grant: 'to join, more',
      side: 'member',
      lent: { actions: ['join'], rights: 'more' },
      role: 'admin',
      expected: TAKEN,
    },
    {
      grant: 'to host, view',
      side: 'host',
      lent: { actions: ['host'], rights: 'view' },
      role: 'view',
      expected: lacks('cluster:host', 'host'),
    },
    {
      grant: 'to host, edit',
      side: 'host',
      lent: { actions: ['host'], rights: 'edit' },
      role: 'view',
      expected: TAKEN,
    },
  ])('$grant: as $side, taking $role', async ({ side, lent, role, expected }) => {
    expect(await borrow(ANA, side, lent, role)).toEqual(expected)
  })

  it('gives administrators no more rights than it says', async () => {
    const admin = somebody('root', 'blue', 'admin', 'member')
    expect(await borrow(admin, 'member', { rights: 'view' }, 'admin')).toEqual(lacks('cluster:join', 'member'))
  })

  it('gives readers nothing', async () => {
    const reader = somebody('art', 'blue', 'reader')
    const cluster = await givenCluster(lab, { as: BEN })
    await lend(cluster, {})
    const answer = await lab.call('POST', '/v1/federations', { as: reader, body: { hostcluster_id: cluster } })
    expect(answer.status).toBe(403)
  })
})

describe('a grant to one federation', () => {
  it('is for that one, and no other of its project', async () => {
    const cluster = await givenCluster(lab, { as: BEN })
    const [one, other] = await Promise.all(
      [1, 2].map(async () => {
        const hostcluster_id = await givenCluster(lab, { as: ANA })
        const { uuid } = (await lab.call('POST', '/v1/federations', { as: ANA, body: { hostcluster_id } })).body
        await settleFederation(lab, uuid)
        return uuid as string
      }),
    )
    const body = { federation_id: one, actions: ['join'] }
    await lab.call('POST', `/v1/clusters/${cluster}/grants`, { as: BEN, body })
    const join = async (id: string | undefined) =>
      (
        await lab.call('PATCH', `/v1/federations/${id}`, {
          as: ANA,
          body: [{ op: 'add', path: '/member_ids', value: cluster }],
        })
      ).status
    expect([await join(other), await join(one)]).toEqual([404, 202])
    expect((await lab.call('GET', '/v1/grants', { as: ANA })).body.grants).toContainEqual(
      expect.objectContaining({ federation_id: one, direction: 'received' }),
    )
  })
})

describe('giving a grant', () => {
  it('of more than edit is for who made the cluster, and for administrators', async () => {
    const cluster = await givenCluster(lab, { as: BEN })
    const give = (as: Principal, rights: string) =>
      lab.call('POST', `/v1/clusters/${cluster}/grants`, {
        as,
        body: { project_id: 'blue', actions: ['join'], rights },
      })
    const bea = PRINCIPALS['another member']
    const refused = await give(bea, 'more')
    expect([refused.status, refused.body.errors[0].detail]).toEqual([403, expect.stringContaining('grant:create')])
    expect((await give(bea, 'edit')).status).toBe(201)
    expect((await give(BEN, 'more')).status).toBe(201)
    expect((await give(somebody('root', 'green', 'admin'), 'more')).status).toBe(201)
  })

  it.each([
    [{ actions: ['join'] }, 'either "project_id" or "federation_id"'],
    [{ project_id: 'blue', federation_id: '01890000-0000-7000-8000-000000000000', actions: ['join'] }, 'either'],
    [{ project_id: 'green', actions: ['join'] }, 'needs no grant'],
    [{ project_id: 'blue', actions: [] }, '"actions" must be a list'],
    [{ project_id: 'blue', actions: ['join', 'join'] }, 'each at most once'],
    [{ project_id: 'blue', actions: ['delete'] }, '"join" and "host"'],
    [{ project_id: 'blue', actions: ['join'], rights: 'all' }, '"rights" must be'],
    [{ project_id: 'blue', actions: ['join'], expires_at: 'tomorrow' }, '"expires_at" must be a time'],
    [{ project_id: 'blue', actions: ['join'], expires_at: '2020-01-01T00:00:00Z' }, 'which is over'],
  ])('refuses %j', async (body, said) => {
    const cluster = await givenCluster(lab, { as: BEN })
    const { status, body: answer } = await lab.call('POST', `/v1/clusters/${cluster}/grants`, { as: BEN, body })
    expect([status, answer.errors[0].detail]).toEqual([400, expect.stringContaining(said)])
    expect((await lab.call('GET', `/v1/clusters/${cluster}/grants`, { as: BEN })).body.grants).toEqual([])
  })

  it('counts for the limit of the project, and once for an Idempotency-Key', async () => {
    const cluster = await givenCluster(lab, { as: BEN })
    const limited = lab.appWith({ projectLimits: { ...PROJECT_LIMITS, grants: 0 } })
    const body = { project_id: 'blue', actions: ['join'] }
    const target = `/v1/clusters/${cluster}/grants`
    const { status, body: refusal } = await callApp(limited, 'POST', target, { as: BEN, body })
    expect([status, refusal.errors[0].detail]).toEqual([403, expect.stringContaining('grants of clusters')])
    const once = () => lab.call('POST', target, { as: BEN, body, headers: { 'Idempotency-Key': cluster } })
    expect((await once()).body.uuid).toBe((await once()).body.uuid)
  })
})

describe('the side of the federation', () => {
  const over = (text: string) =>
    lab.appWith({ policy: cedarPolicy([...defaultPolicies, { file: 'added.cedar', text }]) })

  it('is asked with federation:join and federation:unjoin, and named', async () => {
    const app = over(`
      forbid (principal, action == Action::"federation:join", resource)
      when { context.cluster.project != resource.project && context.driver == "memory@1" };
      forbid (principal, action == Action::"federation:unjoin", resource) when { context.cluster.project == Project::"green" };`)
    const { cluster, federation } = await given()
    const patch = (op: string, value: string) =>
      callApp(app, 'PATCH', `/v1/federations/${federation}`, { as: ANA, body: [{ op, path: '/member_ids', value }] })
    const another = await givenCluster(lab, { as: BEN })
    await lend(another, {})
    const said = async (op: string, value: string) => (await patch(op, value)).body.errors[0].detail
    expect(await said('add', another)).toMatch(/federation:join .*on the side of the federation/)
    expect(await said('remove', cluster)).toMatch(/federation:unjoin .*on the side of the federation/)
    const own = await givenCluster(lab, { as: ANA })
    expect((await patch('add', own)).status).toBe(202)
  })
})
