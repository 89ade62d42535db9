import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { changeCluster, givenCluster, readCluster } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { caseBytes, casesOf } from '../../support/kubernetes/cases.ts'

/**
 * The shared hard cases that are requests: each gets its `expect`, except where Magnum's contract says otherwise; then the contract wins
 * and the row says why.
 */

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const jsonOf = (file: string): unknown => JSON.parse(caseBytes(file).toString('utf8'))

const post = (body: unknown) =>
  lab.call('POST', '/v1/clusters', { body, headers: { 'OpenStack-API-Version': 'container-infra latest' } })

describe('IN-01: values of a patch', () => {
  const Row = z.object({
    body: z.array(z.unknown()),
    expect: z.enum(['accept', 'reject']),
    http_status: z.number().optional(),
  })
  const rows = z.array(Row).parse(jsonOf('in-01-magnum-patch-values.json'))

  /** What the contract says of a cluster whose driver has nodes to change, and of one registered from a kubeconfig. */
  const ANSWERS: { resizable: number; external: number; why?: string }[] = [
    { resizable: 202, external: 400, why: '4.3: an external cluster’s nodes are only counted' },
    { resizable: 202, external: 400, why: 'better than 4.3: text numbers are what Horizon sends' },
    { resizable: 202, external: 400, why: 'as the first: 3.0 is the integer 3 in JSON' },
    { resizable: 202, external: 400, why: '4.1: Magnum sets no upper limit; here the driver refuses' },
    { resizable: 400, external: 400 },
    { resizable: 400, external: 400 },
    { resizable: 400, external: 400 },
    { resizable: 400, external: 400 },
    { resizable: 400, external: 400, why: '4.3: labels can’t be changed after create' },
    { resizable: 400, external: 400 },
  ]

  const external = async (): Promise<string> => {
    const { body } = await post({ kubeconfig: kubeconfigText() })
    await changeCluster(lab, body.uuid, { status: 'CREATE_COMPLETE', operation: null })
    return body.uuid
  }

  const patch = (id: string, body: unknown) =>
    lab.call('PATCH', `/v1/clusters/${id}`, { body, headers: { 'OpenStack-API-Version': 'container-infra latest' } })

  it('has an answer for each row', () => {
    expect(ANSWERS).toHaveLength(rows.length)
  })

  it.each(rows.map((row, index) => [JSON.stringify(row.body), row.body, ANSWERS[index]] as const))(
    '%s',
    async (_text, body, answer) => {
      const statuses = [
        (await patch(await givenCluster(lab), body)).status,
        (await patch(await external(), body)).status,
      ]
      expect(statuses).toEqual([answer?.resizable, answer?.external])
    },
  )

  it('differs from the case only where the contract says so', () => {
    const differs = rows.filter((row, index) => (ANSWERS[index]?.resizable === 202) !== (row.expect === 'accept'))
    expect(differs.map(({ body }) => JSON.stringify(body))).toEqual([
      '[{"op":"replace","path":"/node_count","value":1000}]',
      '[{"op":"add","path":"/labels/example.com~1team","value":"a"}]',
    ])
  })

  it('0 is a value: below 1.10 the answer is the range, not "value needed"', async () => {
    const { body } = await lab.call('PATCH', `/v1/clusters/${await givenCluster(lab)}`, { body: rows[0]?.body })
    expect(body.errors[0].detail).toContain('must be 1 or more in version 1.1')
  })
})

describe('IN-03: optional fields sent as null', () => {
  // The template of the case does not exist here; the cluster comes from a kubeconfig instead.
  const given = { ...(jsonOf('in-03-create-with-nulls.json') as object), cluster_template_id: null, driver: 'memory@1' }

  it('is accepted', async () => {
    expect((await post(given)).status).toBe(202)
  })

  it('gives the defaults, except create_timeout, which Magnum keeps null (4.1)', async () => {
    const { body } = await post(given)
    expect(await readCluster(lab, body.uuid)).toMatchObject({
      name: 'demo',
      magnum: { keypair: null, labels: {}, flavorId: null, fixedNetwork: null, createTimeout: null },
      nodes: { nodeCount: 1, masterCount: 1 },
    })
  })

  it('as it stands is 404 for its template, which is not null', async () => {
    expect((await post(jsonOf('in-03-create-with-nulls.json'))).status).toBe(404)
  })
})

describe('IN-04: names of clusters', () => {
  const Row = z.object({
    name: z.unknown().optional(),
    name_repeat: z.object({ char: z.string(), times: z.number() }).optional(),
    expect: z.enum(['accept', 'reject']),
    why: z.string(),
  })
  const rows = z
    .array(Row)
    .parse(jsonOf('in-04-cluster-names.json'))
    .map((row) => ({ ...row, name: row.name_repeat ? row.name_repeat.char.repeat(row.name_repeat.times) : row.name }))

  /** Names where Magnum's rule (4.1: a letter, then letters, digits, `_`, `.`, `-`; 1 to 242) answers otherwise than the case. */
  const MAGNUM_SAYS: ReadonlyMap<unknown, { status: number; why: string }> = new Map<
    unknown,
    { status: number; why: string }
  >([
    ['a'.repeat(49), { status: 202, why: 'only derived member names have the 48-character rule' }],
    ['a'.repeat(63), { status: 202, why: 'as above' }],
    ['a'.repeat(64), { status: 202, why: 'as above' }],
    ['a'.repeat(242), { status: 202, why: 'the longest that Magnum takes' }],
    ['', { status: 202, why: 'absent: gophercloud sends it for "not set" (0.7); a name is generated' }],
    ['Demo', { status: 202, why: 'capitals are letters' }],
    ['demo_1', { status: 202, why: 'underscores are allowed' }],
    ['karmadamember1.example.com', { status: 202, why: 'dots are allowed' }],
    ['demo-', { status: 202, why: 'nothing is said of the last character' }],
    ['1e3', { status: 400, why: 'the first character is a letter' }],
  ])

  const shortened = (name: unknown): string => (JSON.stringify(name) ?? '').slice(0, 60)

  it.each(rows.map((row) => [`${shortened(row.name)} (${row.why})`, row] as const))('%s', async (_text, row) => {
    const expected = MAGNUM_SAYS.get(row.name)?.status ?? (row.expect === 'accept' ? 202 : 400)
    const answer = await post({ driver: 'memory@1', name: row.name })
    expect(answer.status).toBe(expected)
    expect(answer.text.length).toBeLessThan(1000)
  })

  it('knows only names of the case', () => {
    expect([...MAGNUM_SAYS.keys()].filter((name) => !rows.some((row) => row.name === name))).toEqual([])
  })

  it('is the same rule for federations', async () => {
    const host = await givenCluster(lab)
    const named = (name: unknown) => lab.call('POST', '/v1/federations', { body: { hostcluster_id: host, name } })
    const statuses = await Promise.all(rows.map(async ({ name }) => (await named(name)).status))
    expect(statuses).toEqual(
      rows.map((row) => MAGNUM_SAYS.get(row.name)?.status ?? (row.expect === 'accept' ? 202 : 400)),
    )
  })
})

describe('IN-07: unknown and server-owned fields', () => {
  it('are refused, all of them named', async () => {
    const { status, body } = await lab.call('POST', '/v1/clusters', {
      body: caseBytes('in-07-unknown-fields.json').toString('utf8'),
    })
    const named = ['nmae', 'status', 'project_id', '__proto__'].filter((field) =>
      body.errors[0].detail.includes(`"${field}"`),
    )
    expect([status, named]).toEqual([400, ['nmae', 'status', 'project_id', '__proto__']])
  })
})

describe('IN-09b: a kubeconfig as an object', () => {
  it('is taken', async () => {
    const { status, body } = await post(jsonOf('in-09b-kubeconfig-as-object.json'))
    expect([status, (await readCluster(lab, body.uuid)).endpoint?.server]).toEqual([
      202,
      'https://api.example.com:6443',
    ])
  })

  it('is stored as what it says', async () => {
    const { body } = await post(jsonOf('in-09b-kubeconfig-as-object.json'))
    const key = { projectId: 'blue', owner: `cluster/${body.uuid}`, purpose: 'kubeconfig' }
    const sealed = JSON.parse((await lab.stores.credentials.get(key))?.reveal() ?? 'null')
    expect(sealed.credential).toEqual({ kind: 'token', token: 'example-token-not-a-secret-0909' })
  })
})

it('every case that is a request is tested here', () => {
  const kinds = ['name-list', 'request-body', 'request-list']
  expect(kinds.flatMap((kind) => casesOf(kind).map(({ id }) => id)).sort()).toEqual([
    'IN-01',
    'IN-03',
    'IN-04',
    'IN-07',
    'IN-09b',
  ])
})
