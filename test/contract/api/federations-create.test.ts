import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import {
  changeCluster,
  givenCluster,
  readCluster,
  readFederation,
  readMembership,
  settleCluster,
} from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { BOB, READER } from '../../support/api/request.ts'

let lab: ApiLab
/** A host that many federations share, and clusters with known names. */
let host: string
let one: string
beforeAll(async () => {
  lab = await createApiLab()
  host = await givenCluster(lab, { name: 'the-host' })
  one = await givenCluster(lab, { name: 'one' })
  await givenCluster(lab, { name: 'twin' })
  await givenCluster(lab, { name: 'twin', status: 'CREATE_FAILED' })
})
afterAll(() => lab.dispose())

const post = (body: unknown, query = '') => lab.call('POST', `/v1/federations${query}`, { body })

describe('section 8.5: POST', () => {
  it('answers 202 with the uuid only', async () => {
    const { status, body } = await post({ hostcluster_id: host })
    expect([status, Object.keys(body)]).toEqual([202, ['uuid']])
  })

  it('is readable as CREATE_IN_PROGRESS the instant the 202 is out', async () => {
    const { body } = await post({ name: 'fleet', hostcluster_id: host, member_ids: [one], properties: { a: 'b' } })
    expect((await lab.call('GET', `/v1/federations/${body.uuid}`)).body).toMatchObject({
      name: 'fleet',
      status: 'CREATE_IN_PROGRESS',
      hostcluster_id: host,
      member_ids: [one],
      properties: { a: 'b' },
      driver: 'memory@1',
      members: [{ cluster_id: one, name: 'one', state: 'Waiting', reason: null }],
      operation: { kind: 'create' },
    })
  })

  it('starts the flow', async () => {
    const { body } = await post({ hostcluster_id: host })
    const { operation } = await readFederation(lab, body.uuid)
    expect(lab.executions.starts.at(-1)).toEqual({
      flow: 'federation-create',
      name: `${operation?.id}-1`,
      input: { projectId: 'blue', entityId: body.uuid, operationId: operation?.id, attempt: 1, mode: 'do' },
    })
  })

  it('takes names and stores ids', async () => {
    const { body } = await post({ hostcluster_id: 'the-host', member_ids: ['one'] })
    expect(await readFederation(lab, body.uuid)).toMatchObject({ hostClusterId: host, memberIds: [one] })
  })

  it.each<[string, object, object]>([
    ['names it when the caller does not', { name: '' }, { name: expect.stringMatching(/^[a-z]+-\d+-federation$/) }],
    ['needs no properties', { properties: null }, { properties: {} }],
    ['keeps unknown properties', { properties: { color: 'blue', x: 'y' } }, { properties: { color: 'blue', x: 'y' } }],
    [
      'takes a DNS zone',
      { properties: { 'dns-zone': 'fed.example.com.' } },
      { properties: { 'dns-zone': 'fed.example.com.' } },
    ],
    ['takes null for no members', { member_ids: null }, { memberIds: [], change: null }],
    [
      'drops what only the server sets',
      { uuid: 'x', status: 'CREATE_COMPLETE', status_reason: 'y' },
      { status: 'CREATE_IN_PROGRESS' },
    ],
    ['takes a driver', { driver: 'selfhost@1' }, { driver: 'selfhost@1' }],
  ])('%s', async (_what, attributes, expected) => {
    const { body } = await post({ hostcluster_id: host, ...attributes })
    expect(await readFederation(lab, body.uuid)).toMatchObject(expected)
  })

  it('marks host and members as used', async () => {
    const member = await givenCluster(lab)
    const { body } = await post({ hostcluster_id: one, member_ids: [member] })
    expect((await readCluster(lab, one)).uses).toContain(`host:${body.uuid}`)
    expect((await readCluster(lab, member)).uses).toEqual([`member:${body.uuid}`])
  })

  it('takes the host as a member where the driver allows it', async () => {
    const own = await givenCluster(lab)
    const { status, body } = await post({ hostcluster_id: own, member_ids: [own], driver: 'selfhost@1' })
    expect([status, (await readCluster(lab, own)).uses.toSorted()]).toEqual([
      202,
      [`host:${body.uuid}`, `member:${body.uuid}`],
    ])
  })

  it('gives members of like names distinct names', async () => {
    const twins = [await givenCluster(lab, { name: 'Same.Name' }), await givenCluster(lab, { name: 'same-name' })]
    const { body } = await post({ hostcluster_id: host, member_ids: twins })
    const names = await Promise.all(twins.map(async (id) => (await readMembership(lab, body.uuid, id)).memberName))
    expect([new Set(names).size, names[1]]).toEqual([2, 'same-name'])
  })

  it('leaves the members time for the control plane and their join', async () => {
    const { body } = await post({ hostcluster_id: host, member_ids: [one] })
    const { operation, change } = await readFederation(lab, body.uuid)
    expect(Date.parse(change?.deadline ?? '') - Date.parse(operation?.deadline ?? '')).toBe(300_000)
  })

  it('takes 45 members in one transaction', async () => {
    const members = await Promise.all(Array.from({ length: 45 }, () => givenCluster(lab)))
    const { status, body } = await lab.call('POST', '/v1/federations', {
      body: { hostcluster_id: host, member_ids: members, properties: { namespace: 'forty-five' } },
      headers: { 'Idempotency-Key': 'forty-five' },
    })
    expect([status, (await readFederation(lab, body.uuid)).memberIds]).toEqual([202, members.toSorted()])
  })

  it('claims namespaces of the host for one federation', async () => {
    const properties = { namespace: 'reserved' }
    expect((await post({ hostcluster_id: host, properties })).status).toBe(202)
    expect((await post({ hostcluster_id: host, properties })).status).toBe(409)
    expect((await post({ hostcluster_id: one, properties })).status).toBe(202)
  })

  it('is not kept out of a namespace by a cluster of another project that says it has the same uid', async () => {
    const properties = { namespace: 'federation-system' }
    const impostor = await givenCluster(lab, { as: BOB })
    const { identity } = await readCluster(lab, host)
    await settleCluster(lab, impostor, { status: 'CREATE_COMPLETE', identity }, BOB)
    const squat = { hostcluster_id: impostor, properties }
    expect((await lab.call('POST', '/v1/federations', { as: BOB, body: squat })).status).toBe(202)
    expect((await post({ hostcluster_id: host, properties })).status).toBe(202)
  })

  it('writes an event', async () => {
    const { body } = await post({ hostcluster_id: host })
    const events = await lab.call('GET', `/v1/federations/${body.uuid}/events`)
    expect(events.body.events).toMatchObject([{ action: 'create', outcome: 'pending', cluster_id: null, sequence: 1 }])
  })
})

const UNKNOWN = '00000000-0000-4000-8000-000000000009'

type Row = [section: string, what: string, body: () => unknown, status: number, detail: string]
const given = (attributes: object) => () => ({ hostcluster_id: host, ...attributes })

describe('POST refuses', () => {
  it.each<Row>([
    ['2', 'no body', () => undefined, 400, 'there is none'],
    ['2', 'a list for an object', () => [], 400, 'it is a list'],
    ['8.2', 'no host', () => ({}), 400, '"hostcluster_id" is missing'],
    ['8.2', 'a null host', given({ hostcluster_id: null }), 400, '"hostcluster_id"'],
    ['8.2', 'an empty host', given({ hostcluster_id: '' }), 400, '"hostcluster_id"'],
    ['8.2', 'a host that is a number', given({ hostcluster_id: 5 }), 400, '"hostcluster_id"'],
    [
      '8.2',
      'an unknown host by id',
      given({ hostcluster_id: UNKNOWN }),
      404,
      `Cluster "${UNKNOWN}" could not be found`,
    ],
    ['8.2', 'an unknown host by name', given({ hostcluster_id: 'nobody' }), 404, 'Cluster "nobody"'],
    ['2', 'an ambiguous host', given({ hostcluster_id: 'twin' }), 409, 'Multiple clusters have the name "twin"'],
    ['2', 'an ambiguous host, with the status of each', given({ hostcluster_id: 'twin' }), 409, '(CREATE_FAILED).'],
    ['8.2', 'a project', given({ project_id: 'green' }), 400, 'Unknown attribute: "project_id"'],
    ['2', 'all unknown attributes', given({ a: 1, b: 2 }), 400, '"a" and "b"'],
    ['2', 'links', given({ links: [] }), 400, 'Only the server sets: "links"'],
    ['8.2', 'a bad name', given({ name: '1st' }), 400, '"name" must be text of 1 to 242 characters'],
    ['8.2', 'members that are no list', given({ member_ids: 'one' }), 400, '"member_ids" must be a list'],
    ['8.2', 'a member that is no text', given({ member_ids: [1] }), 400, '"member_ids.0"'],
    ['8.5', 'an unknown member', given({ member_ids: [UNKNOWN] }), 404, UNKNOWN],
    ['8.5', 'an ambiguous member', given({ member_ids: ['twin'] }), 409, 'twin'],
    ['8.5', 'a member given twice', () => given({ member_ids: [one, one] })(), 400, 'twice'],
    ['8.5', 'a member given by id and name', () => given({ member_ids: [one, 'one'] })(), 400, 'twice'],
    ['8.5', 'the host as a member', () => given({ member_ids: [host] })(), 400, "can't have the host as a member"],
    ['design 2', '46 members', given({ member_ids: Array.from({ length: 46 }, (_, n) => `m${n}`) }), 400, 'at most 45'],
    ['8.2', 'properties that are a list', given({ properties: [] }), 400, '"properties" must be an object of texts'],
    ['8.2', 'a property that is no text', given({ properties: { a: 1 } }), 400, '"properties.a" must be text'],
    ['–', 'a control character in a key', given({ properties: { '\u0000': 'a' } }), 400, 'no control characters'],
    ['–', 'a control character in a property', given({ properties: { a: '\u0000' } }), 400, 'no control characters'],
    ['–', 'half a surrogate pair', given({ hostcluster_id: '\ud800' }), 400, 'surrogates'],
    ['design 2', 'a zone that is none', given({ properties: { 'dns-zone': 'no zone' } }), 400, '"properties.dns-zone"'],
    ['design 2', 'an empty zone', given({ properties: { 'dns-zone': '' } }), 400, '"properties.dns-zone"'],
    [
      'design 2',
      'a zone with a long label',
      given({ properties: { 'dns-zone': `${'a'.repeat(64)}.org` } }),
      400,
      'dns-zone',
    ],
    ['design 2', 'what its driver refuses', given({ properties: { color: 'green' } }), 400, '"properties.color"'],
    [
      'design 2',
      'an option of its driver in another spelling',
      given({ properties: { Member_Role: 'x', colour: 'y' } }),
      400,
      '"properties.Member_Role" is not an option of memory@1; did you mean "member-role"?',
    ],
    ['design 2', 'an option with dots', given({ properties: { 'member.role': 'x' } }), 400, 'mean "member-role"?'],
    ['design 2', 'an option with a space', given({ properties: { 'member role': 'x' } }), 400, 'mean "member-role"?'],
    ['design 2', 'an unknown driver', given({ driver: 'none@1' }), 400, '"none@1" is not enabled'],
    [
      'design 5',
      'a host without the API that the driver needs',
      given({ driver: 'kube@1' }),
      400,
      'has no Kubernetes API, which the federation driver kube@1 needs. A federation with "driver": "memory@1"',
    ],
    ['3', 'properties that are too large', given({ properties: { a: 'x'.repeat(70_000) } }), 413, 'at most 65536'],
    ['3', 'a body that is too large', given({ properties: { a: 'x'.repeat(140_000) } }), 413, 'The body has'],
    ['2', 'an unreadable dry_run', given({}), 400, '"dry_run" must be a boolean'],
  ])('section %s: %s', async (...[, what, body, status, detail]) => {
    const answer = await post(body(), what === 'an unreadable dry_run' ? '?dry_run=perhaps' : '')
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, expect.stringContaining(detail)])
  })

  it.each(['host', 'member'])('a %s that its own driver says can be none', async (role) => {
    const id = await givenCluster(lab, { body: { kubeconfig: kubeconfigText() } })
    await changeCluster(lab, id, { driverState: { simulated: true } })
    const real = await givenCluster(lab, { body: { kubeconfig: kubeconfigText() } })
    const body = role === 'host' ? { hostcluster_id: id } : { hostcluster_id: real, member_ids: [id] }
    const answer = await post({ ...body, driver: 'kube@1' })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining('is simulated')])
  })

  const STATES: Cluster['status'][] = ['CREATE_IN_PROGRESS', 'CREATE_FAILED', 'DELETE_IN_PROGRESS', 'DELETE_FAILED']

  it.each(STATES)('a host that is %s', async (status) => {
    const answer = await post({ hostcluster_id: await givenCluster(lab, { status }) })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining(status)])
  })

  it('a host that is still being registered, saying what to wait for and where to see it', async () => {
    const id = await givenCluster(lab, { name: 'fresh', status: 'CREATE_IN_PROGRESS' })
    const { detail, title } = (await post({ hostcluster_id: id })).body.errors[0]
    expect(detail).toBe(
      `Cluster "fresh" (${id}) is CREATE_IN_PROGRESS, so it can't be host yet: wait for CREATE_COMPLETE and try again. ` +
        `GET /v1/clusters/${id} shows its "status".`,
    )
    expect(title).toContain('wait for CREATE_COMPLETE and try again.')
  })

  it('a member whose registration failed, saying how to repair it', async () => {
    const id = await givenCluster(lab, { status: 'CREATE_FAILED' })
    const { detail } = (await post({ hostcluster_id: host, member_ids: [id] })).body.errors[0]
    expect(detail).toContain('PATCH replace /kubeconfig')
  })

  it.each(STATES)('a member that is %s', async (status) => {
    const answer = await post({ hostcluster_id: host, member_ids: [await givenCluster(lab, { status })] })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining(status)])
  })

  it.each<Cluster['status']>(['UPDATE_COMPLETE', 'UPDATE_IN_PROGRESS', 'UPDATE_FAILED'])(
    'not a host that is %s',
    async (status) => {
      expect((await post({ hostcluster_id: await givenCluster(lab, { status }) })).status).toBe(202)
    },
  )

  it('a member without the API that the driver needs', async () => {
    const kubernetes = (await lab.call('POST', '/v1/clusters', { body: { kubeconfig: kubeconfigText() } })).body.uuid
    await changeCluster(lab, kubernetes, { status: 'CREATE_COMPLETE', operation: null })
    const answer = await post({ driver: 'kube@1', hostcluster_id: kubernetes, member_ids: [one] })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining('"one"')])
  })

  it('all of it when one thing is wrong: no cluster stays marked', async () => {
    const member = await givenCluster(lab)
    await post({ hostcluster_id: host, member_ids: [member], properties: { namespace: 'taken-once' } })
    const other = await givenCluster(lab)
    await post({ hostcluster_id: host, member_ids: [other], properties: { namespace: 'taken-once' } })
    expect((await readCluster(lab, other)).uses).toEqual([])
  })

  it('section 9.4: a reader', async () => {
    const { status, body } = await lab.call('POST', '/v1/federations', { as: READER, body: { hostcluster_id: host } })
    expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('federation:create')])
  })
})
