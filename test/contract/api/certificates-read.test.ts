import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorityAnswer } from '../../../functions/api/certificates/certificate.answer.schema.ts'
import {
  ADMIN_ALONE,
  ALICE_MEMBER,
  authorityOf,
  CAROL,
  disableTls,
  FOREIGN_ADMIN,
  givenRegistered,
} from '../../support/api/certificates.ts'
import { changeCluster, givenCluster } from '../../support/api/entities.ts'
import { type ApiLab, BASE_URL, createApiLab } from '../../support/api/lab.ts'
import { BOB, READER } from '../../support/api/request.ts'
import { makeCa } from '../../support/kubernetes/tls.ts'

let lab: ApiLab
let cluster: string
beforeAll(async () => {
  lab = await createApiLab()
  cluster = await givenCluster(lab, { name: 'blue_1' })
})
afterAll(() => lab.dispose())

const get = (ident: string, query = '', as?: typeof BOB) =>
  lab.call('GET', `/v1/certificates/${ident}${query}`, { ...(as ? { as } : {}) })

describe('section 7.1: GET certificate', () => {
  it.each(['id', 'name'])('by %s shows the authority of the cluster', async (by) => {
    const { status, body } = await get(by === 'id' ? cluster : 'blue_1')
    expect(status).toBe(200)
    expect(body).toEqual({
      cluster_uuid: cluster,
      pem: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n[^-]+\n-----END CERTIFICATE-----\n$/),
      links: [
        { href: `${BASE_URL}/v1/certificates/${cluster}`, rel: 'self' },
        { href: `${BASE_URL}/certificates/${cluster}`, rel: 'bookmark' },
      ],
    })
    expect(new X509Certificate(body.pem)).toMatchObject({ ca: true, subject: 'CN=blue_1' })
    expect(authorityAnswer.strict().parse(body)).toEqual(body)
  })

  it('has an authority of its own for each type', async () => {
    const queries = ['', '?ca_cert_type=etcd', '?ca_cert_type=front-proxy']
    const found = await Promise.all(queries.map((query) => authorityOf(lab, cluster, query)))
    expect(new Set(found.map(({ fingerprint256 }) => fingerprint256)).size).toBe(3)
  })

  it.each([
    ['?ca_cert_type=kubernetes', ''],
    ['?ca_cert_type=', ''],
    ['?ca_cert_type=unknown', ''],
    ['?ca_cert_type=__proto__', ''],
    ['?ca_cert_type=front_proxy', '?ca_cert_type=front-proxy'],
  ])('%s is %j', async (query, same) => {
    const [one, other] = await Promise.all([authorityOf(lab, cluster, query), authorityOf(lab, cluster, same)])
    expect(one.fingerprint256).toBe(other.fingerprint256)
  })

  it('is there the instant that the 202 of the cluster is out, as Terraform needs it', async () => {
    const { body } = await lab.call('POST', '/v1/clusters', { body: { driver: 'memory@1' } })
    expect((await get(body.uuid)).status).toBe(200)
  })

  it.each([
    ['an unknown cluster', 'nothing', 404],
    ['an id that is none', '00000000-0000-4000-8000-000000000000', 404],
  ])('of %s is %i', async (_, ident, status) => {
    expect((await get(ident)).status).toBe(status)
  })

  it('of an ambiguous name is 409', async () => {
    await givenCluster(lab, { name: 'twin' })
    await givenCluster(lab, { name: 'twin' })
    expect((await get('twin')).status).toBe(409)
  })

  it.each([
    ['GET', '/v1/certificates'],
    ['GET', '/v1/certificates/'],
    ['PATCH', '/v1/certificates'],
    ['DELETE', '/v1/certificates/x'],
  ])('%s %s is 405', async (method, path) => {
    expect((await lab.call(method, path)).status).toBe(405)
  })

  it('takes no other parameter', async () => {
    expect((await get(cluster, '?type=etcd')).status).toBe(400)
  })
})

describe('section 9.4: who may fetch it', () => {
  it.each([
    ['who made the cluster', ALICE_MEMBER, 200],
    ['another member of the project', CAROL, 403],
    ['a reader of the project', READER, 403],
    ['an administrator', ADMIN_ALONE, 200],
    ['somebody of another project', BOB, 404],
    ['an administrator of another project', FOREIGN_ADMIN, 404],
  ])('%s gets %o → %i', async (_, as, status) => {
    expect((await get(cluster, '', as)).status).toBe(status)
  })

  it('names the rule', async () => {
    expect((await get(cluster, '', CAROL)).body.errors[0].detail).toContain('certificate:get')
  })

  it('says that another user made it, where only that is in the way', async () => {
    const told = async (as: typeof BOB) => (await get(cluster, '', as)).body.errors[0].title
    const sentence = 'Another user made it: only that one may, and an administrator in its project.'
    expect(await told(CAROL)).toContain(sentence)
    expect(await told({ ...CAROL, roles: [] })).not.toContain(sentence)
  })

  it('says that it looked in the own project only, to administrators too', async () => {
    expect((await get(cluster, '', FOREIGN_ADMIN)).body.errors[0].title).toBe(
      `Cluster "${cluster}" could not be found in your project.`,
    )
  })
})

describe('a cluster whose authority is not ours', () => {
  it('shows the authority of its kubeconfig', async () => {
    const { certificatePem } = await makeCa('their authority')
    const data = Buffer.from(certificatePem).toString('base64')
    const id = await givenRegistered(lab, `, certificate-authority-data: ${data}`)
    const { status, body } = await get(id)
    expect([status, new X509Certificate(body.pem).subject]).toEqual([200, 'CN=their authority'])
    expect((await get(id, '?ca_cert_type=unknown')).status).toBe(200)
    const etcd = await get(id, '?ca_cert_type=etcd')
    expect([etcd.status, etcd.body.errors[0].detail]).toEqual([400, expect.stringContaining('kubeconfig@1 holds none')])
  })

  it('is 400 when public authorities vouch for it', async () => {
    const { status, body } = await get(await givenRegistered(lab))
    expect([status, body.errors[0].detail]).toEqual([
      400,
      expect.stringContaining('public authorities of their operating system'),
    ])
  })

  it('is 400 when nothing is verified', async () => {
    const id = await givenRegistered(lab, ', insecure-skip-tls-verify: true', { insecure_skip_tls_verify: true })
    const { status, body } = await get(id)
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('insecure_skip_tls_verify')])
  })
})

describe('a cluster without certificates', () => {
  it('is 400 when TLS is disabled', async () => {
    const id = await givenCluster(lab)
    await disableTls(lab, id)
    const { status, body } = await get(id)
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('tls_disabled')])
  })

  it('is 400 when it is older than the authorities, and says how to get some', async () => {
    const id = await givenCluster(lab)
    const key = { projectId: 'blue', clusterId: id, type: 'kubernetes', candidate: false } as const
    await lab.stores.commit([lab.stores.certificates.remove(key)])
    const { status, body } = await get(id)
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('PATCH /v1/certificates')])
  })

  it('still shows the authority while it is being deleted', async () => {
    const id = await givenCluster(lab)
    await changeCluster(lab, id, { status: 'DELETE_IN_PROGRESS' })
    expect((await get(id)).status).toBe(200)
  })
})
