import { unmarshall } from '@aws-sdk/util-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../../functions/api/routes.ts'
import type { DomainEvent } from '../../../functions/core/values/event.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { cedarPolicy } from '../../../functions/policy/cedar-policy.ts'
import { isReadRule } from '../../../functions/policy/rules.ts'
import { eventItem } from '../../../functions/store/dynamodb/event.schema.ts'
import { parseItem } from '../../../functions/store/dynamodb/item.schema.ts'
import { EVENT_PREFIX } from '../../../functions/store/dynamodb/table-definition.ts'
import { givenCluster, givenFederation, givenTemplate, settleFederation } from '../../support/api/entities.ts'
import { kubeconfigText, SECRET_MARKER } from '../../support/api/kubeconfigs.ts'
import { type Answer, type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { textOf } from '../../support/api/log.ts'
import { givenGroup, givenReachable } from '../../support/api/node-groups.ts'
import { ALICE, BOB } from '../../support/api/request.ts'
import { defaultPolicies } from '../../support/policy.ts'
import { scanTable } from '../../support/store/dynamo-subject.ts'
import { madeRequest } from '../../support/x509/signing-requests.ts'

/** Issue 17, point 6: each decision that changes something is an event, with who asked, by whose word, and which policies permitted it. */

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const headers = { 'OpenStack-API-Version': 'container-infra latest' }
const send = (line: string, body?: unknown, as: Principal = ALICE): Promise<Answer> => {
  const [method = '', target = ''] = line.split(' ')
  return lab.call(method, target, { as, headers, ...(body === undefined ? {} : { body }) })
}

/** All events that an answer's request wrote. */
const eventsBy = async (answer: Answer): Promise<DomainEvent[]> => {
  const items = (await scanTable(lab.stores.table)).filter(({ sk }) => sk?.S?.startsWith(EVENT_PREFIX))
  const events = items.map((item) => parseItem(eventItem, unmarshall(item as never)).event)
  return events.filter(({ audit }) => audit?.requestId === answer.headers['x-openstack-request-id'])
}

const trigger = async () =>
  (
    await send('POST /v1/triggers', {
      name: 'pager',
      events: ['cluster.*'],
      target: { url: 'https://example.org/hook' },
    })
  ).body.uuid
const template = async () => (await givenTemplate(lab)).id
const hookOf = async (cluster: string) =>
  (await send(`POST /v1/clusters/${cluster}/hooks`, { name: 'pager' })).body.uuid
const group = async () => {
  const cluster = await givenReachable(lab)
  return `${cluster}/nodegroups/${(await givenGroup(lab, cluster)).uuid}`
}
const quota = async (project: string) => {
  await send('POST /v1/quotas', { project_id: project, hard_limit: 9 })
  return `${project}/Cluster`
}
const grantBody = { project_id: 'green', actions: ['join'], rights: 'view' }
const lent = async () => {
  const cluster = await givenCluster(lab)
  const { uuid } = (await send(`POST /v1/clusters/${cluster}/grants`, grantBody)).body
  return { cluster, grant: uuid }
}
const replay = async () => {
  const id = await trigger()
  const { id: delivery } = (await send(`POST /v1/triggers/${id}/actions/test`, {})).body
  const read = await lab.stores.triggers.getDelivery({ projectId: 'blue', triggerId: id, id: delivery })
  await lab.stores.commit([lab.stores.triggers.changeDelivery(read!, { ...read!, state: 'dead', nextAt: null })])
  return send(`POST /v1/triggers/${id}/deliveries/${delivery}/actions/replay`, {})
}
/** A cluster of bob's in a federation of alice's, which its owner takes out. */
const foreignMember = async () => {
  const cluster = await givenCluster(lab, { as: BOB })
  await send(`POST /v1/clusters/${cluster}/grants`, { ...grantBody, project_id: 'blue', rights: 'more' }, BOB)
  const { id } = await givenFederation(lab, { members: [cluster] })
  return send(`DELETE /v1/clusters/${cluster}/federations/${id}`, undefined, BOB)
}
const withMember = async () => {
  const member = await givenCluster(lab)
  const { id } = await givenFederation(lab, { members: [member] })
  await settleFederation(lab, id)
  return { id, member }
}
const kubeconfigOf = async (method: 'GET' | 'POST') =>
  send(`${method} /v1/federations/${(await givenFederation(lab, { driver: 'platform@1' })).id}/kubeconfig`)
const selected = { labels: 'env=prod' }

/** A request that changes something, of each route that may. */
const CHANGES: Readonly<Record<string, () => Promise<Answer>>> = {
  'POST /v1/certificates': async () =>
    send('POST /v1/certificates', { cluster_uuid: await givenCluster(lab), csr: madeRequest('ec-P-256') }),
  'PATCH /v1/certificates/{cluster}': async () => send(`PATCH /v1/certificates/${await givenCluster(lab)}`, {}),
  'PATCH /v1/credentials/{cluster}': async () => send(`PATCH /v1/credentials/${await givenCluster(lab)}`, {}),
  'POST /v1/clusters': () => send('POST /v1/clusters', { driver: 'memory@1' }),
  'PATCH /v1/clusters/{cluster}': async () =>
    send(`PATCH /v1/clusters/${await givenCluster(lab)}`, [
      { op: 'replace', path: '/health_status', value: 'HEALTHY' },
    ]),
  'DELETE /v1/clusters/{cluster}': async () => send(`DELETE /v1/clusters/${await givenCluster(lab)}`),
  'POST /v1/clusters/{cluster}/actions/resize': async () =>
    send(`POST /v1/clusters/${await givenCluster(lab)}/actions/resize`, { node_count: 3 }),
  'POST /v1/clusters/{cluster}/actions/upgrade': async () => {
    const id = await givenCluster(lab, { body: { cluster_template_id: await template() } })
    return send(`POST /v1/clusters/${id}/actions/upgrade`, { cluster_template: await template(), max_batch_size: 1 })
  },
  'POST /v1/clusters/{cluster}/nodegroups': async () =>
    send(`POST /v1/clusters/${await givenReachable(lab)}/nodegroups`, { name: 'pool' }),
  'PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}': async () =>
    send(`PATCH /v1/clusters/${await group()}`, [{ op: 'replace', path: '/max_node_count', value: 9 }]),
  'DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}': async () => send(`DELETE /v1/clusters/${await group()}`),
  'POST /v1/clusters/{cluster}/actions/observe': async () =>
    send(`POST /v1/clusters/${await givenCluster(lab)}/actions/observe`, {}),
  'POST /v1/clusters/{cluster}/hooks': async () =>
    send(`POST /v1/clusters/${await givenCluster(lab)}/hooks`, { name: 'pager' }),
  'DELETE /v1/clusters/{cluster}/hooks/{hook}': async () => {
    const cluster = await givenCluster(lab)
    return send(`DELETE /v1/clusters/${cluster}/hooks/${await hookOf(cluster)}`)
  },
  'POST /v1/clusters/{cluster}/grants': async () =>
    send(`POST /v1/clusters/${await givenCluster(lab)}/grants`, grantBody),
  'DELETE /v1/clusters/{cluster}/grants/{grant}': async () => {
    const { cluster, grant } = await lent()
    return send(`DELETE /v1/clusters/${cluster}/grants/${grant}`)
  },
  'DELETE /v1/clusters/{cluster}/federations/{federation}': foreignMember,
  'POST /v1/quotas': () => send('POST /v1/quotas', { project_id: 'q1', hard_limit: 3 }),
  'PATCH /v1/quotas/{project}/{resource}': async () => send(`PATCH /v1/quotas/${await quota('q2')}`, { hard_limit: 4 }),
  'DELETE /v1/quotas/{project}/{resource}': async () => send(`DELETE /v1/quotas/${await quota('q3')}`),
  'POST /v1/federations': async () => send('POST /v1/federations', { hostcluster_id: await givenCluster(lab) }),
  'PATCH /v1/federations/{federation}': async () =>
    send(`PATCH /v1/federations/${(await givenFederation(lab)).id}`, [
      { op: 'add', path: '/member_ids', value: await givenCluster(lab) },
    ]),
  'DELETE /v1/federations/{federation}': async () => send(`DELETE /v1/federations/${(await givenFederation(lab)).id}`),
  'GET /v1/federations/{federation}/kubeconfig': () => kubeconfigOf('GET'),
  'POST /v1/federations/{federation}/kubeconfig': () => kubeconfigOf('POST'),
  'POST /v1/federations/{federation}/actions/release-selector': async () => {
    const { id } = await givenFederation(lab)
    await send(`PATCH /v1/federations/${id}`, [{ op: 'replace', path: '/member_selector', value: selected }])
    const federation = (await lab.stores.federations.get({ projectId: 'blue', id }))!
    const held = { ...federation.selection!, held: 1 }
    await lab.stores.commit([lab.stores.federations.change(federation, { selection: held })])
    return send(`POST /v1/federations/${id}/actions/release-selector`, {})
  },
  'POST /v1/federations/{federation}/members/{cluster}/actions/rotate': async () => {
    const { id, member } = await withMember()
    return send(`POST /v1/federations/${id}/members/${member}/actions/rotate`, {})
  },
  'POST /v1/federations/{federation}/actions/rotate-members': async () =>
    send(`POST /v1/federations/${(await withMember()).id}/actions/rotate-members`, {}),
  'POST /v1/clustertemplates': () =>
    send('POST /v1/clustertemplates', { coe: 'kubernetes', image_id: 'fedora', name: 'mine' }),
  'PATCH /v1/clustertemplates/{clustertemplate}': async () =>
    send(`PATCH /v1/clustertemplates/${await template()}`, [{ op: 'replace', path: '/name', value: 'other' }]),
  'DELETE /v1/clustertemplates/{clustertemplate}': async () => send(`DELETE /v1/clustertemplates/${await template()}`),
  'POST /v1/triggers': () =>
    send('POST /v1/triggers', { name: 'pager', events: ['cluster.*'], target: { url: 'https://example.org/hook' } }),
  'DELETE /v1/triggers/{trigger}': async () => send(`DELETE /v1/triggers/${await trigger()}`),
  'POST /v1/triggers/{trigger}/actions/test': async () => send(`POST /v1/triggers/${await trigger()}/actions/test`, {}),
  'POST /v1/triggers/{trigger}/deliveries/{delivery}/actions/replay': replay,
  'POST /v1/triggers/{trigger}/actions/rotate-secret': async () =>
    send(`POST /v1/triggers/${await trigger()}/actions/rotate-secret`, {}),
}

/** Needs a cluster that answers: test/flows/cluster-kubeconfig.test.ts. */
const ELSEWHERE = ['/v1/clusters/{cluster}/kubeconfig']

/** Reads of no group, for administrators and owners. */
const isRead = (method: string, path: string): boolean => method === 'GET' && !path.endsWith('/kubeconfig')

const CHANGING = ROUTES.flatMap((route) =>
  route.access === 'none' ||
  ELSEWHERE.includes(route.path) ||
  isReadRule(route.rule) ||
  isRead(route.method, route.path)
    ? []
    : [[`${route.method} ${route.path}`, route.rule] as const],
)

describe('each request that changes something', () => {
  it.each(CHANGING)('%s has an event that says by which decisions', async (route, rule) => {
    const change = CHANGES[route]
    expect(change, 'a row that changes something').toBeDefined()
    const answer = await change!()
    expect(answer.text, textOf(lab.log).slice(-3000)).not.toContain('"errors"')
    const events = await eventsBy(answer)
    expect(events).not.toEqual([])
    for (const { initiator, audit } of events) {
      const as = initiator?.userId === 'bob' ? BOB : ALICE
      expect(initiator).toEqual({ userId: as.userId, projectId: as.projectId })
      expect(audit).toMatchObject({
        source: as.source,
        decisions: expect.arrayContaining([expect.objectContaining({ rule })]),
      })
      for (const { policies } of audit?.decisions ?? []) expect(policies).not.toEqual([])
    }
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${SECRET_MARKER}|whsec_|BEGIN`))
  })
})

describe('the event of a change', () => {
  it('has both sides of a join, and the grant', async () => {
    const cluster = await givenCluster(lab, { as: BOB, name: 'edge' })
    const body = { ...grantBody, project_id: 'blue', rights: 'more' }
    const { uuid: grantId } = (await send(`POST /v1/clusters/${cluster}/grants`, body, BOB)).body
    const { id } = await givenFederation(lab)
    const answer = await send(`PATCH /v1/federations/${id}`, [{ op: 'add', path: '/member_ids', value: cluster }])
    const [event, ...others] = await eventsBy(answer)
    expect(others).toEqual([])
    expect(event).toMatchObject({ action: 'join', outcome: 'pending', clusterId: cluster })
    const sides = { federation: { id, projectId: 'blue' }, cluster: { id: cluster, projectId: 'green' } }
    expect(event?.audit?.decisions).toEqual([
      { rule: 'federation:update', policies: ['admin', 'member-changes'] },
      { rule: 'federation:join', policies: ['admin', 'member-changes'], ...sides },
      { rule: 'cluster:join', policies: ['admin', 'grant-federates'], ...sides, grantId },
    ])
  })

  it('names the policy of an operator, who acts in another project', async () => {
    const id = await givenCluster(lab, { as: BOB })
    const text = `
      @id("ops-deletes") permit (principal, action in Action::"delete", resource) when { principal.project == Project::"ops" };
      permit (principal, action == Action::"cluster:delete_all_projects", resource) when { principal.project == Project::"ops" };`
    const policy = cedarPolicy([...defaultPolicies, { file: 'policies/ops.cedar', text }])
    const as: Principal = { userId: 'olga', projectId: 'ops', roles: ['reader'], source: 'oidc' }
    const answer = await callApp(lab.appWith({ policy }), 'DELETE', `/v1/clusters/${id}`, { as })
    expect(answer.status).toBe(204)
    const [event] = await eventsBy(answer)
    expect(event).toMatchObject({ projectId: 'green', initiator: { userId: 'olga', projectId: 'ops' } })
    expect(event?.audit).toEqual({
      requestId: answer.headers['x-openstack-request-id'],
      source: 'oidc',
      decisions: [
        { rule: 'cluster:delete', policies: ['ops-deletes'] },
        { rule: 'cluster:delete_all_projects', policies: ['ops-deletes', 'ops.cedar#2'] },
        { rule: 'cluster:delete', policies: ['ops-deletes'], cluster: { id, projectId: 'green' } },
      ],
    })
  })

  it('is in no answer and no feed: what has no history of its own is told of the project', async () => {
    const answer = await send('POST /v1/clustertemplates', { coe: 'kubernetes', image_id: 'fedora', name: 'told' })
    const [event] = await eventsBy(answer)
    await lab.stores.events.publish({ position: '1', event: event! })
    const { body } = await send('GET /v1/events')
    expect(body.events).toEqual([
      expect.objectContaining({
        type: 'project.update.success',
        owner: { kind: 'project', uuid: 'blue', name: 'blue' },
        reason: 'ClustertemplateCreate',
        message: `Cluster template "told" (${answer.body.uuid}) was created.`,
      }),
    ])
    const { items } = await lab.stores.events.feed('blue', { limit: 5 })
    expect(items[0]?.event).not.toHaveProperty('audit')
  })

  it('is not there where nothing changes', async () => {
    const { id } = await givenFederation(lab)
    const cluster = await givenCluster(lab)
    const joins = [{ op: 'add', path: '/member_ids', value: cluster }]
    for (const answer of [
      await send(`PATCH /v1/federations/${id}?dry_run=true`, joins),
      await send(`PATCH /v1/federations/${id}`, joins, BOB),
      await send(`GET /v1/clusters/${cluster}`),
    ]) {
      expect(await eventsBy(answer)).toEqual([])
    }
  })
})

describe('a refusal', () => {
  const refused = () => lab.log.lines.filter(({ message }) => message === 'refused').map(({ fields }) => fields)

  it('is logged with its rule, its side and who asked', async () => {
    const body = { kubeconfig: kubeconfigText() }
    const [cluster, hub] = [await givenCluster(lab, { as: BOB, body }), await givenCluster(lab, { body })]
    await send(`POST /v1/clusters/${cluster}/grants`, { ...grantBody, project_id: 'blue' }, BOB)
    const properties = { 'member-role': 'edit' }
    const federation = { driver: 'kube@1', properties, hostcluster_id: hub, member_ids: [cluster] }
    const answer = await send('POST /v1/federations', federation)
    expect(answer.status).toBe(403)
    expect(refused().at(-1)).toEqual({
      requestId: answer.headers['x-openstack-request-id'],
      projectId: 'blue',
      userId: 'alice',
      source: 'local',
      roles: ALICE.roles,
      rule: 'cluster:join',
      side: 'cluster',
      method: 'POST',
      route: '/v1/federations',
    })
  })

  it('of a rule without sides has none, and a probe is no refusal', async () => {
    const before = refused().length
    await send('GET /v1/stats', undefined, BOB)
    expect(refused()).toHaveLength(before)
    await send('POST /v1/quotas', { project_id: 'x' }, BOB)
    expect(refused().at(-1)).toMatchObject({ rule: 'quota:create', userId: 'bob', source: 'token-file' })
    expect(refused().at(-1)).not.toHaveProperty('side')
  })
})
