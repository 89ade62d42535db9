import { inspect } from 'node:util'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeconfigKey } from '../../../functions/core/access/credentials.ts'
import { driverRegistry } from '../../../functions/drivers/registry.ts'
import { changeCluster, readCluster } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type Answer, type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { textOf } from '../../support/api/log.ts'
import type { CallOptions } from '../../support/api/request.ts'
import { noAws } from '../../support/aws/no-aws.ts'
import { madeRequest } from '../../support/x509/signing-requests.ts'

/** Design section 2: clusters that a driver registers by an attribute of its own, with the drivers of the build. */

const EXTERNAL_ID = 'external-id-that-must-not-be-seen'
const ROLE = 'arn:aws:iam::111122223333:role/team/fedplane'
const EKS = { name: 'shop-1', region: 'eu-central-1' }
const CROSS = { ...EKS, role_arn: ROLE, external_id: EXTERNAL_ID }
const TEMPLATE = 'fed91a4e-0000-4000-8000-000000000002'
const CA = '-----BEGIN CERTIFICATE-----\nQ0E=\n-----END CERTIFICATE-----\n'

let lab: ApiLab
let call: (method: string, target: string, options?: CallOptions) => Promise<Answer>
const answers: Answer[] = []

beforeAll(async () => {
  lab = await createApiLab()
  const drivers = driverRegistry({ aws: noAws }, { enabledCluster: ['external@1', 'eks@1', 'memory@1'] })
  const app = lab.appOver({ drivers })
  call = async (...given) => {
    const answer = await callApp(app, ...given)
    answers.push(answer)
    return answer
  }
})
afterAll(() => lab.dispose())

const post = (body: unknown): Promise<Answer> => call('POST', '/v1/clusters', { body })

const registered = async (eks: object = CROSS): Promise<string> => {
  const { status, body } = await post({ name: 'tokyo', eks })
  expect(status, JSON.stringify(body)).toBe(202)
  return body.uuid
}

const found = (id: string): Promise<void> =>
  changeCluster(lab, id, {
    status: 'CREATE_COMPLETE',
    operation: null,
    endpoint: {
      server: 'https://ABC.gr7.eu-central-1.eks.amazonaws.com',
      serverForPeers: null,
      caPem: CA,
      tlsServerName: null,
      tlsVerify: true,
    },
  })

describe('POST /v1/clusters with "eks"', () => {
  it('registers by name and Region; everything but what is confidential is shown', async () => {
    const id = await registered()
    const { body } = await call('GET', `/v1/clusters/${id}`)
    expect(body).toMatchObject({
      driver: 'eks@1',
      cluster_template_id: TEMPLATE,
      status: 'CREATE_IN_PROGRESS',
      api_address: null,
      eks: { name: 'shop-1', region: 'eu-central-1', role_arn: ROLE },
    })
    expect(Object.keys(body.eks).toSorted()).toEqual(['name', 'region', 'role_arn'])
    const detail = (await call('GET', '/v1/clusters/detail')).body.clusters.find(
      (one: { uuid: string }) => one.uuid === id,
    )
    expect(detail.eks).toEqual(body.eks)
    const plain = (await call('GET', '/v1/clusters')).body.clusters.find((one: { uuid: string }) => one.uuid === id)
    expect(plain).not.toHaveProperty('eks')
  })

  it('seals the external ID, and nothing when there is none', async () => {
    const [cross, own] = [await readCluster(lab, await registered()), await readCluster(lab, await registered(EKS))]
    const sealed = await lab.stores.credentials.get(kubeconfigKey(cross))
    expect(JSON.parse(sealed?.reveal() ?? '')).toEqual({ external_id: EXTERNAL_ID })
    expect(await lab.stores.credentials.get(kubeconfigKey(own))).toBeUndefined()
    expect(own.driverState).toEqual({ eks: EKS })
  })

  it('is refused where the operator does not list the role for the project, and changes nothing', async () => {
    const grants = [{ projectId: 'red', arn: ROLE }]
    const drivers = driverRegistry({ aws: { ...noAws, grants } }, { enabledCluster: ['external@1', 'eks@1'] })
    const before = await lab.stores.clusters.list('blue', { limit: 100 })
    const { status, text } = await callApp(lab.appOver({ drivers }), 'POST', '/v1/clusters', { body: { eks: CROSS } })
    expect([status, text]).toEqual([400, expect.stringContaining(`blue=${ROLE}`)])
    expect(await lab.stores.clusters.list('blue', { limit: 100 })).toEqual(before)
  })

  it('starts the flow', async () => {
    const { id } = await readCluster(lab, await registered())
    expect(lab.executions.starts.at(-1)).toMatchObject({ flow: 'cluster-create', input: { entityId: id } })
  })

  it.each([
    ['its own driver', { driver: 'eks@1' }],
    ['its built-in template, by id', { cluster_template_id: TEMPLATE }],
    ['its built-in template, by name', { cluster_template_id: 'eks' }],
    ['null for what is absent', { kubeconfig: null, eks: { ...EKS, role_arn: null, external_id: '' } }],
  ])('takes %s', async (_, more) => {
    expect((await post({ eks: EKS, ...more })).status).toBe(202)
  })

  it('shows its template among the public ones', async () => {
    const { body } = await call('GET', '/v1/clustertemplates/eks')
    expect(body).toMatchObject({ uuid: TEMPLATE, name: 'eks', public: true, driver: 'eks@1' })
  })

  it('leaves other clusters as they are', async () => {
    const { body } = await post({ kubeconfig: kubeconfigText() })
    expect((await call('GET', `/v1/clusters/${body.uuid}`)).body).not.toHaveProperty('eks')
  })
})

const faults = (eks: unknown, ...sentences: string[]): [string, object, string[]] => [
  JSON.stringify(eks).slice(0, 70),
  { eks },
  sentences,
]

describe('POST /v1/clusters with "eks" refuses', () => {
  it.each<[string, object, string[]]>([
    faults('shop', '"eks" must be an object of texts.'),
    faults(['shop'], '"eks" must be an object of texts.'),
    faults({}, '"eks.name" is missing; it must be the name', '"eks.region" is missing; it must be the AWS Region'),
    faults({ ...EKS, name: '' }, '"eks.name" is missing'),
    faults({ ...EKS, name: 'arn:aws:eks:eu-central-1:111122223333:cluster/shop' }, '"eks.name" must be', 'not its ARN'),
    faults({ ...EKS, name: '-shop' }, '"eks.name" must be'),
    faults({ ...EKS, name: 'x'.repeat(101) }, '"eks.name" must be'),
    faults({ ...EKS, name: 5 }, '"eks.name" must be'),
    faults({ ...EKS, name: 'shop/../x' }, '"eks.name" must be'),
    faults({ ...EKS, region: 'Frankfurt' }, '"eks.region" must be the AWS Region'),
    faults({ ...EKS, region: 'eu-central-1.evil.example.com/' }, '"eks.region" must be'),
    faults({ ...EKS, region: 'eu-central-1\n' }, '"eks.region" must be'),
    faults({ ...EKS, role_arn: 'fedplane' }, '"eks.role_arn" must be the ARN of an IAM role'),
    faults({ ...EKS, role_arn: 'arn:aws:iam::111122223333:user/ana' }, '"eks.role_arn" must be'),
    faults({ ...EKS, role_arn: 'arn:aws-cn:iam::111122223333:role/fedplane' }, 'partition aws-cn', 'is in aws.'),
    faults({ ...EKS, region: 'cn-north-1', role_arn: ROLE }, 'partition aws,', 'is in aws-cn.'),
    faults({ ...CROSS, external_id: `${EXTERNAL_ID} ` }, '"eks.external_id" must be the external ID'),
    faults({ ...CROSS, external_id: { a: EXTERNAL_ID } }, '"eks.external_id" must be'),
    faults({ ...EKS, external_id: EXTERNAL_ID }, '"eks.external_id" goes with "eks.role_arn" only'),
    faults(
      { ...EKS, account: '1', profile: 'x' },
      'Unknown: "eks.account" and "eks.profile".',
      '"eks" has name, region, role_arn and external_id.',
    ),
    ['a kubeconfig besides', { eks: EKS, kubeconfig: kubeconfigText() }, ['"kubeconfig" and "eks"', 'exactly one']],
    ['options of a kubeconfig', { eks: EKS, context: 'a' }, ['go with a "kubeconfig" only']],
    [
      'a driver that takes none',
      { eks: EKS, driver: 'memory@1' },
      ['The driver memory@1 takes no "eks". Leave it out.'],
    ],
    ['a driver for kubeconfigs', { eks: EKS, driver: 'external@1' }, ['The driver external@1 takes no "eks".']],
    ['a template of another driver', { eks: EKS, cluster_template_id: 'external' }, ['takes no "eks"']],
    ['a kubeconfig for it', { driver: 'eks@1', kubeconfig: kubeconfigText() }, ['takes no "kubeconfig"']],
    ['nothing for it', { driver: 'eks@1' }, ['The driver eks@1 needs "eks": an object with name and region.']],
    ['nothing for its template', { cluster_template_id: 'eks' }, ['needs "eks"']],
    ['nodes', { eks: EKS, node_count: -1 }, ['"node_count"']],
  ])('%s', async (_, body, sentences) => {
    const before = lab.executions.starts.length
    const { status, text } = await post(body)
    expect(status).toBe(400)
    const { detail } = JSON.parse(text).errors[0]
    for (const sentence of sentences) expect(detail).toContain(sentence)
    expect(detail).toMatch(/\.$/)
    expect(lab.executions.starts).toHaveLength(before)
  })

  it('what no enabled driver takes', async () => {
    const { status, text } = await callApp(lab.app, 'POST', '/v1/clusters', { body: { eks: EKS } })
    expect([status, text]).toEqual([400, expect.stringContaining('No enabled driver registers clusters by \\"eks\\".')])
  })
})

describe('an EKS cluster', () => {
  it('takes no kubeconfig, and says what to do instead', async () => {
    const id = await registered()
    await found(id)
    const body = [{ op: 'replace', path: '/kubeconfig', value: kubeconfigText() }]
    const { status, text } = await call('PATCH', `/v1/clusters/${id}`, { body })
    expect(status).toBe(400)
    expect(text).toMatch(/its driver eks@1 takes none\. .*access entry.*register it again/)
  })

  it('gives the CA that EKS told', async () => {
    const id = await registered()
    const before = await call('GET', `/v1/certificates/${id}`)
    expect([before.status, before.text]).toEqual([400, expect.stringContaining('is not known yet')])
    await found(id)
    const { status, body } = await call('GET', `/v1/certificates/${id}`)
    expect([status, body.pem]).toEqual([200, CA])
  })

  it.each(['etcd', 'front-proxy'])('has no %s CA', async (type) => {
    const id = await registered()
    await found(id)
    expect((await call('GET', `/v1/certificates/${id}?ca_cert_type=${type}`)).status).toBe(400)
  })

  it('signs nothing, and names the alternative', async () => {
    const id = await registered()
    await found(id)
    const { status, text } = await call('POST', '/v1/certificates', {
      body: { cluster_uuid: id, csr: madeRequest('ec-P-256') },
    })
    expect(status).toBe(400)
    expect(text).toContain('access entry')
    expect(text).toContain('aws eks update-kubeconfig')
  })

  it('has no authorities to replace, and no nodes to change', async () => {
    const id = await registered()
    await found(id)
    expect((await call('PATCH', `/v1/certificates/${id}`)).status).toBe(400)
    const resized = await call('PATCH', `/v1/clusters/${id}`, {
      body: [{ op: 'replace', path: '/node_count', value: 3 }],
    })
    expect([resized.status, resized.text]).toEqual([400, expect.stringContaining('only counts them')])
  })
})

describe('the external ID', () => {
  it('is in no answer, log line, input of an execution or item in clear', async () => {
    const { client, tableName } = lab.stores.table
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }))
    expect(Items.length).toBeGreaterThan(5)
    const seen = [
      ...answers.map(({ text, headers }) => text + JSON.stringify(headers)),
      textOf(lab.log),
      inspect(lab.executions.starts, { depth: 10 }),
      inspect(Items, { depth: 20, maxArrayLength: null, maxStringLength: null }),
    ]
    expect(seen.filter((text) => text.includes(EXTERNAL_ID))).toEqual([])
  })
})
