import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROJECT_LIMITS } from '../../../functions/core/values/quota.ts'
import { cedarPolicy } from '../../../functions/policy/cedar-policy.ts'
import {
  changeCluster,
  givenCluster,
  givenTemplate,
  readCluster,
  readFederation,
  readMembership,
} from '../../support/api/entities.ts'
import { type Answer, type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB } from '../../support/api/request.ts'
import { defaultPolicies } from '../../support/policy.ts'

/** `POST /v1/federations` with a `host` that is created (decision 0037). */

let lab: ApiLab
let template: string
beforeAll(async () => {
  lab = await createApiLab()
  template = (await givenTemplate(lab, { name: 'small', driver: 'memory@1' })).id
  await givenTemplate(lab, { projectId: 'limited', name: 'memory', driver: 'memory@1' })
})
afterAll(() => lab.dispose())

const post = (body: unknown, query = '', app = lab.app): Promise<Answer> =>
  callApp(app, 'POST', `/v1/federations${query}`, { body })

const made = async (attributes: object = {}, host: object = {}) => {
  const { body, text } = await post({ ...attributes, host: { cluster_template_id: template, ...host } })
  if (body.uuid === undefined) throw new Error(text)
  const federation = await readFederation(lab, body.uuid)
  return { federation, cluster: await readCluster(lab, federation.hostClusterId) }
}

const countOf = async (path: string, name: string, as = ALICE) =>
  (await lab.call('GET', `/v1/${path}`, { as })).body[path].filter((one: { name: string }) => one.name === name).length

describe('a host that is created with the federation', () => {
  it('is there with it, used by it, and both flows begin', async () => {
    const { federation, cluster } = await made({ name: 'fleet' }, { node_count: 3, labels: { a: 'b' } })
    expect(cluster).toMatchObject({
      name: 'fleet-host',
      status: 'CREATE_IN_PROGRESS',
      uses: [`host:${federation.id}`],
      nodes: { nodeCount: 3 },
      magnum: { clusterTemplateId: template, labels: { a: 'b' } },
    })
    expect(lab.executions.starts.slice(-2).map(({ flow, input }) => [flow, input.entityId])).toEqual([
      ['cluster-create', cluster.id],
      ['federation-create', federation.id],
    ])
  })

  it.each([
    [{}, { created: true, keep: false }],
    [{ keep: 'true' }, { created: true, keep: true }],
    [{ keep: null }, { created: true, keep: false }],
  ])('is shown by the federation: %j', async (given, host) => {
    const { federation } = await made({}, given)
    expect((await lab.call('GET', `/v1/federations/${federation.id}`)).body.host).toEqual(host)
  })

  it('is not claimed of a host that was there before', async () => {
    const { body } = await post({ hostcluster_id: await givenCluster(lab) })
    const shown = await lab.call('GET', `/v1/federations/${body.uuid}`)
    expect(shown.body.host).toEqual({ created: false, keep: true })
  })

  it('takes a name of its own, and a template by name', async () => {
    const { cluster } = await made({ name: 'named' }, { cluster_template_id: 'small', name: 'the-hub' })
    expect(cluster.name).toBe('the-hub')
  })

  it('is called after a name of the longest kind', async () => {
    const { cluster } = await made({ name: 'a'.repeat(242) })
    expect(cluster.name).toBe(`${'a'.repeat(237)}-host`)
  })

  it('gives the federation its own time and the host’s', async () => {
    const { federation } = await made({}, { create_timeout: 90 })
    const { startedAt, deadline } = federation.operation!
    expect((Date.parse(deadline) - Date.parse(startedAt)) / 1000).toBe(90 * 60 + 900 + 1800)
  })

  it('may have members from the beginning, which wait', async () => {
    const members = await Promise.all([1, 2].map((n) => givenCluster(lab, { name: `member-${n}` })))
    const { federation } = await made({ member_ids: ['member-1', members[1]] })
    expect(await readMembership(lab, federation.id, members[0]!)).toMatchObject({ state: 'Waiting' })
  })

  it('may have the most members that a transaction has room for', async () => {
    const members = await Promise.all(Array.from({ length: 40 }, () => givenCluster(lab)))
    const answer = await lab.call('POST', '/v1/federations', {
      headers: { 'Idempotency-Key': 'as-many' },
      body: { member_ids: members, host: { cluster_template_id: template } },
    })
    expect(answer.status).toBe(202)
  })

  it('comes once for one Idempotency-Key, also at the same moment', async () => {
    const once = () =>
      lab.call('POST', '/v1/federations', {
        headers: { 'Idempotency-Key': 'once' },
        body: { name: 'only', host: { cluster_template_id: template } },
      })
    const [one, two] = await Promise.all([once(), once()])
    expect([one?.status, one?.body]).toEqual([202, two?.body])
    expect([await countOf('federations', 'only'), await countOf('clusters', 'only-host')]).toEqual([1, 1])
  })

  it('comes twice for one name, as clusters and federations do', async () => {
    const answers = await Promise.all([1, 2].map(() => post({ name: 'pair', host: { cluster_template_id: template } })))
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(await countOf('clusters', 'pair-host')).toBe(2)
  })

  it('can’t be deleted while the federation is there', async () => {
    const { federation, cluster } = await made()
    const answer = await lab.call('DELETE', `/v1/clusters/${cluster.id}`)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining(federation.id)])
  })

  it('can host no other federation before it is there', async () => {
    const { cluster } = await made()
    expect((await post({ hostcluster_id: cluster.id })).status).toBe(409)
    await changeCluster(lab, cluster.id, { status: 'CREATE_COMPLETE', operation: null })
    expect((await post({ hostcluster_id: cluster.id })).status).toBe(202)
  })
})

describe('is refused, and nothing is made', () => {
  const host = (attributes: object = {}) => ({ host: { cluster_template_id: template, ...attributes } })

  it.each<[string, () => object, number, string]>([
    ['beside a host that is there', () => ({ hostcluster_id: 'x', ...host() }), 400, 'Give exactly one of them.'],
    ['as text', () => ({ host: 'small' }), 400, 'In "host": it must be a JSON object with attributes'],
    ['without a template', () => ({ host: {} }), 400, 'In "host": "cluster_template_id" must be text'],
    [
      'with what registers a cluster',
      () => host({ kubeconfig: 'x' }),
      400,
      'In "host": Unknown attribute: "kubeconfig"',
    ],
    ['with a driver', () => host({ driver: 'memory@1' }), 400, 'In "host": Unknown attribute: "driver"'],
    ['with an unknown attribute', () => host({ size: 5 }), 400, 'In "host": Unknown attribute: "size"'],
    ['with a bad name', () => host({ name: '1st' }), 400, 'In "host": "name" must be text'],
    ['with an unknown template', () => host({ cluster_template_id: 'nobody' }), 400, 'ClusterTemplate "nobody"'],
    [
      'of a driver that only registers',
      () => host({ cluster_template_id: 'external' }),
      400,
      'which creates no clusters',
    ],
    ['with an even number of masters', () => host({ master_count: 2 }), 400, '"master_count" is 2'],
    ['that its driver refuses', () => host({ labels: { refused: 'Too small.' } }), 400, 'Too small.'],
    [
      'without the API that the federation needs',
      () => ({ driver: 'kube@1', ...host() }),
      400,
      'The host cluster that memory@1 would create has no Kubernetes API',
    ],
    ['with an unknown member', () => ({ member_ids: ['nobody'], ...host() }), 404, 'Cluster "nobody"'],
    ['as a member of itself', () => ({ name: 'self', member_ids: ['self-host'], ...host() }), 404, '"self-host"'],
    [
      'with more members than fit',
      () => ({ member_ids: Array.from({ length: 41 }, (_, n) => `m${n}`), ...host() }),
      400,
      'at most 40 can join with a new host',
    ],
  ])('%s', async (_what, body, status, detail) => {
    const before = await lab.call('GET', '/v1/stats')
    const starts = lab.executions.starts.length
    const answer = await post({ name: 'refused', ...body() })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, expect.stringContaining(detail)])
    expect([(await lab.call('GET', '/v1/stats')).body, await countOf('federations', 'refused')]).toEqual([
      before.body,
      0,
    ])
    expect(lab.executions.starts).toHaveLength(starts)
  })

  const as = { ...BOB, projectId: 'limited' }
  const inLimited = (app = lab.app) =>
    callApp(app, 'POST', '/v1/federations', { as, body: { name: 'limited', host: { cluster_template_id: 'memory' } } })

  it.each([
    ['cluster', () => lab.appWith({ clustersPerProject: 0 })],
    ['federation', () => lab.appWith({ projectLimits: { ...PROJECT_LIMITS, federations: 0 } })],
    ['operation', () => lab.appWith({ projectLimits: { ...PROJECT_LIMITS, operations: 1 } })],
  ])('by the project’s limit of %ss; the places of the other kinds are free again', async (_what, app) => {
    expect((await inLimited(app())).status).toBe(403)
    expect([await countOf('clusters', 'limited-host', as), await countOf('federations', 'limited', as)]).toEqual([0, 0])
  })

  it.each([
    ['cluster:create', 403],
    ['cluster:host', 403],
    ['federation:create', 403],
  ])('by a policy without %s', async (rule, status) => {
    const text = `forbid (principal, action == Action::"${rule}", resource);`
    const app = lab.appWith({ policy: cedarPolicy([...defaultPolicies, { file: 'added.cedar', text }]) })
    const answer = await post(host(), '', app)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, expect.stringContaining(rule)])
  })
})

describe('DELETE of a federation', () => {
  const withoutDelete = () =>
    lab.appWith({
      policy: cedarPolicy([
        ...defaultPolicies,
        { file: 'added.cedar', text: 'forbid (principal, action == Action::"cluster:delete", resource);' },
      ]),
    })

  it('asks for the right to delete the host that goes with it', async () => {
    const { federation, cluster } = await made()
    const answer = await callApp(withoutDelete(), 'DELETE', `/v1/federations/${federation.id}`)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([403, expect.stringContaining(cluster.id)])
  })

  it('asks for nothing of a host that is kept', async () => {
    const { federation } = await made({}, { keep: true })
    expect((await callApp(withoutDelete(), 'DELETE', `/v1/federations/${federation.id}`)).status).toBe(204)
  })
})

describe('?dry_run=true', () => {
  it('says what host and members would be, and stores nothing', async () => {
    const member = await givenCluster(lab, { name: 'dry-member' })
    lab.preflights.member = async () => ({
      wouldMake: ['an account'],
      findings: [{ severity: 'warning', reason: 'OldVersion', message: 'It is old.' }],
    })
    const { status, body } = await post(
      { name: 'dry', member_ids: [member], host: { cluster_template_id: template, node_count: 2 } },
      '?dry_run=true',
    )
    expect([status, body]).toEqual([
      200,
      {
        would_succeed: true,
        findings: [
          {
            severity: 'warning',
            reason: 'HostNotThere',
            message: 'The host cluster dry-host is checked once it is created; what it lacks ends the create then.',
            cluster_id: null,
          },
          { severity: 'warning', reason: 'OldVersion', message: 'It is old.', cluster_id: member },
        ],
        would_make: [
          'dry-host: the cluster, through memory@1, with 1 control plane node and 2 workers',
          'dry-member: an account',
        ],
      },
    ])
    expect([await countOf('federations', 'dry'), await countOf('clusters', 'dry-host')]).toEqual([0, 0])
  })

  it('makes a finding of what the host’s driver refuses', async () => {
    const labels = { refused: 'Too small.' }
    const { body } = await post({ host: { cluster_template_id: template, labels } }, '?dry_run=true')
    expect(body).toMatchObject({
      would_succeed: false,
      findings: [{ severity: 'error', reason: 'InvalidRequest', message: 'Too small.', cluster_id: null }],
    })
  })
})
