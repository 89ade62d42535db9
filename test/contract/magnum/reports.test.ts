import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { givenTemplate, settleCluster } from '../../support/api/entities.ts'
import { copyCluster, givenGroup, givenReachable } from '../../support/api/node-groups.ts'
import { useTemplate } from '../../support/api/template-calls.ts'
import { OWNER, STRANGER } from './principals.ts'
import { type Call, contractTables, type Expectation, type Given, type Row } from './row.ts'

/** Section 11: what users of Magnum have reported, each as what a good server does. Those that need more than requests are in `ELSEWHERE`. */

const fresh: Given = async (lab, { done }) => ({ c: await copyCluster(lab, done!) })
const withGroup: Given = async (lab, { done }) => {
  const c = await copyCluster(lab, done!)
  return { c, pool: await givenGroup(lab, c, { name: 'pool', node_count: 3 }) }
}
const body = (more: Expectation['body'], status = 200): Expectation => ({ status, body: more })
const shown = (more: Expectation['body']): NonNullable<Row['after']> => ({
  request: 'GET /v1/clusters/{c}',
  expect: body(more),
})
const create = (more: object, version?: string): Call => ({
  line: 'POST /v1/clusters',
  ...(version === undefined ? {} : { version }),
  body: { cluster_template_id: '{template}', ...more },
})
const createTemplate = (more: object): Call => ({
  line: 'POST /v1/clustertemplates',
  body: { coe: 'kubernetes', image_id: 'i', ...more },
})
const patch = (line: string, attribute: string, value: unknown): Call => ({
  line: `PATCH ${line}`,
  version: 'latest',
  body: [{ op: 'replace', path: attribute, value }],
})
const row = (number: number, name: string, more: Omit<Row, 'section' | 'name'>): Row => ({
  section: `11.${number}`,
  name,
  ...more,
})

const STATES: Row[] = [
  row(1, 'a deleted cluster is never CREATE_COMPLETE again', {
    given: fresh,
    request: 'DELETE /v1/clusters/{c}',
    expect: 204,
    after: shown({ status: 'DELETE_IN_PROGRESS' }),
  }),
  row(2, 'a changed cluster is UPDATE_IN_PROGRESS before the 202', {
    given: fresh,
    request: patch('/v1/clusters/{c}', '/node_count', 3),
    expect: 202,
    after: shown({ status: 'UPDATE_IN_PROGRESS', node_count: 3 }),
  }),
  row(3, 'a deleted node group is DELETE_IN_PROGRESS before the 204', {
    given: withGroup,
    request: { line: 'DELETE /v1/clusters/{c}/nodegroups/pool', version: '1.9' },
    expect: 204,
    after: {
      request: { line: 'GET /v1/clusters/{c}/nodegroups/pool', version: '1.9' },
      expect: body({ status: 'DELETE_IN_PROGRESS' }),
    },
  }),
  row(4, 'a created cluster is CREATE_IN_PROGRESS at once', {
    request: create({}),
    expect: 202,
    after: { request: 'GET /v1/clusters/{uuid}', expect: body({ status: 'CREATE_IN_PROGRESS' }) },
  }),
  row(16, 'a patch of the health leaves the counts of all node groups', {
    given: async (lab, names) => {
      const given = await withGroup(lab, names)
      await settleCluster(lab, given.c!, { status: 'UPDATE_COMPLETE' })
      return given
    },
    request: patch('/v1/clusters/{c}', '/health_status', 'UNHEALTHY'),
    expect: 202,
    after: shown({ health_status: 'UNHEALTHY', node_count: 4 }),
  }),
]

const REFUSALS: Row[] = [
  row(5, 'a create says which resource is missing', {
    request: create({ cluster_template_id: 'no-such-template' }, 'latest'),
    expect: { status: 404, says: '"no-such-template"' },
  }),
  row(6, 'text for a count that is no integer is told what is expected', {
    given: fresh,
    request: patch('/v1/clusters/{c}', '/node_count', 'four'),
    expect: { status: 400, says: 'must be an integer' },
  }),
  row(8, 'a template in use names the clusters in the way', {
    given: async (lab) => {
      const { id } = await givenTemplate(lab)
      await useTemplate(lab, { id }, { name: 'in-the-way' })
      return { t: id }
    },
    request: patch('/v1/clustertemplates/{t}', '/flavor_id', 'big'),
    expect: { status: 400, says: '"in-the-way"' },
  }),
  row(9, 'labels of a cluster stay, and the refusal says what can be changed', {
    given: fresh,
    request: patch('/v1/clusters/{c}', '/labels', { max_node_count: '5' }),
    expect: { status: 400, says: 'Cannot change "/labels". Only "/node_count"' },
  }),
  row(9, 'limits for the autoscaler are changed on the node group instead', {
    given: fresh,
    request: patch('/v1/clusters/{c}/nodegroups/default-worker', '/max_node_count', 5),
    expect: body({ max_node_count: 5 }, 202),
  }),
  row(10, 'no nodes below 1.10 tells the version that allows them', {
    request: create({ node_count: 0 }),
    expect: { status: 400, says: '1.10' },
  }),
  row(10, 'no nodes at 1.10', { request: create({ node_count: 0 }, '1.10'), expect: 202 }),
  row(17, 'an unreadable rollback is reported', {
    given: fresh,
    request: { ...patch('/v1/clusters/{c}?rollback=perhaps', '/node_count', 2) },
    expect: { status: 400, says: '"rollback" must be a boolean' },
  }),
  row(17, 'a rollback that is false is taken as such', {
    given: fresh,
    request: { ...patch('/v1/clusters/{c}?rollback=false', '/node_count', 2) },
    expect: 202,
  }),
  row(25, 'publishing without the right says so, and makes nothing', {
    request: { ...createTemplate({ name: 'wants-public', public: true }), as: OWNER },
    expect: { status: 403, says: 'administrator' },
    after: { request: 'GET /v1/clustertemplates/wants-public', expect: 404 },
  }),
  row(27, 'a certificate for an unknown cluster', {
    request: { line: 'POST /v1/certificates', body: { cluster_uuid: 'no-such-cluster', csr: 'x' } },
    expect: { status: 400, says: '"no-such-cluster"' },
  }),
]

const LABELS: Row[] = [
  ...[{ a: 'b' }, "{'a': 'b'}", '{"a": "b"}'].map((value) =>
    row(7, `labels of a template may come as ${JSON.stringify(value)}`, {
      given: async (lab) => ({ t: (await givenTemplate(lab)).id }),
      request: patch('/v1/clustertemplates/{t}', '/labels', value),
      expect: body({ labels: { a: 'b' } }),
    }),
  ),
  row(15, "a node group's labels are its own", {
    given: fresh,
    request: {
      line: 'POST /v1/clusters/{c}/nodegroups',
      version: '1.9',
      body: { name: 'g', labels: { a: 'b' }, merge_labels: true },
    },
    expect: body({ labels_added: { a: 'b' } }, 202),
    after: shown({ labels: {} }),
  }),
  row(21, 'numbers and booleans become text', {
    request: create({ labels: { boot_volume_size: 20, ok: true } }),
    expect: 202,
    after: {
      request: 'GET /v1/clusters/{uuid}',
      expect: body({ labels: { boot_volume_size: '20', ok: 'True' } }),
    },
  }),
  row(22, 'a template may have neither labels nor flavors', {
    request: createTemplate({ labels: null, flavor_id: null, master_flavor_id: null }),
    expect: body({ labels: {}, flavor_id: null, master_flavor_id: null }, 201),
  }),
  row(26, 'labels without merge show which of the template they leave out', {
    request: create({ cluster_template_id: '{labelled}', labels: { own: '1' } }),
    expect: 202,
    after: {
      request: 'GET /v1/clusters/{uuid}',
      expect: body({ labels: { own: '1' }, labels_skipped: { zone: 'a' }, labels_added: { own: '1' } }),
    },
  }),
  row(26, 'labels with merge are laid over those of the template', {
    request: create({ cluster_template_id: '{labelled}', labels: { own: '1' }, merge_labels: true }),
    expect: 202,
    after: {
      request: 'GET /v1/clusters/{uuid}',
      expect: body({ labels: { own: '1', zone: 'a' }, labels_skipped: {} }),
    },
  }),
]

const QUOTAS: Row[] = [
  row(19, 'a list with a limit', { request: 'GET /v1/quotas?limit=1&all_tenants=True', expect: 200 }),
  row(20, 'none set shows the default', {
    request: { line: 'GET /v1/quotas/green/Cluster', as: STRANGER },
    expect: body({ hard_limit: expect.any(Number), project_id: 'green', resource: 'Cluster' }),
  }),
]

contractTables({ states: STATES, refusals: REFUSALS, labels: LABELS, quotas: QUOTAS }, async (lab) => {
  const done = await givenReachable(lab)
  const [template, labelled] = [await givenTemplate(lab), await givenTemplate(lab, { spec: { labels: { zone: 'a' } } })]
  return { done, template: template.id, labelled: labelled.id }
})

/** Reports that need a flow, a driver or many objects: file under `test/`, and the name of the test there. */
const ELSEWHERE: Record<number, [file: string, name: string][]> = {
  11: [['contract/api/nodegroups-create.test.ts', 'parallel creates (section 11 row 11)']],
  12: [['contract/api/nodegroups-change.test.ts', 'and the count with it (section 11 row 12)']],
  13: [
    ['contract/api/cluster-resize.test.ts', 'waits while another runs, in order, each with its nodes (section 11.13)'],
    ['flows/cluster-queue.test.ts', 'run in the order of the requests, each with its own count'],
  ],
  14: [['contract/drivers/cluster-making-suite.ts', 'nobody goes in the stead of a node that is gone already']],
  18: [['contract/api/protocol.test.ts', 'X-Forwarded-Prefix']],
  23: [
    ['flows/cluster-tasks.test.ts', 'that fails puts the count back and names the group'],
    ['contract/api/nodegroups-read.test.ts', 'tells why it failed, its addresses and its version (section 11 row 23)'],
  ],
  24: [['flows/cluster-ends.test.ts', 'that takes longer than its create_timeout fails and says so']],
  28: [['contract/api/cluster-reach.test.ts', 'section 11 row 28: a list']],
}

it.each(Object.entries(ELSEWHERE))('section 11.%s has its test elsewhere', (_, places) => {
  for (const [file, name] of places) {
    expect(readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8'), file).toContain(name)
  }
})

it('all 28 reports of section 11 have a test', () => {
  const here = [...STATES, ...REFUSALS, ...LABELS, ...QUOTAS].map(({ section }) => Number(section.slice(3)))
  const all = new Set([...here, ...Object.keys(ELSEWHERE).map(Number)])
  expect([...all].sort((a, b) => a - b)).toEqual(Array.from({ length: 28 }, (_, index) => index + 1))
})
