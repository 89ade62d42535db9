import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signedAnswer } from '../../../functions/api/certificates/certificate.answer.schema.ts'
import {
  ADMIN_ALONE,
  ALICE_MEMBER,
  authorityOf,
  CAROL,
  disableTls,
  FOREIGN_ADMIN,
  givenRegistered,
} from '../../support/api/certificates.ts'
import { givenCluster } from '../../support/api/entities.ts'
import { type ApiLab, BASE_URL, createApiLab } from '../../support/api/lab.ts'
import { textOf } from '../../support/api/log.ts'
import { BOB, READER } from '../../support/api/request.ts'
import { madeRequest } from '../../support/x509/signing-requests.ts'

let lab: ApiLab
let cluster: string
const CSR = madeRequest('rsa-2048-sha256')
beforeAll(async () => {
  lab = await createApiLab()
  cluster = await givenCluster(lab, { name: 'blue_1' })
})
afterAll(() => lab.dispose())

const sign = (body: object, as?: typeof BOB) => lab.call('POST', '/v1/certificates', { body, ...(as ? { as } : {}) })
const detailOf = ({ body }: Awaited<ReturnType<typeof sign>>): string => body.errors[0].detail

describe('section 7.1: POST certificate', () => {
  it.each(['id', 'name'])('signs for the cluster that is named by %s', async (by) => {
    const { status, body } = await sign({ cluster_uuid: by === 'id' ? cluster : 'blue_1', csr: CSR })
    expect(status).toBe(201)
    expect(body).toEqual({
      cluster_uuid: cluster,
      csr: CSR,
      pem: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n[^-]+\n-----END CERTIFICATE-----\n$/),
      links: [
        { href: `${BASE_URL}/v1/certificates/${cluster}`, rel: 'self' },
        { href: `${BASE_URL}/certificates/${cluster}`, rel: 'bookmark' },
      ],
    })
    expect(signedAnswer.strict().parse(body)).toEqual(body)
  })

  it.each([
    ['openstack coe cluster config', 'rsa-2048-sha256'],
    ['Terraform', 'terraform'],
    ['EC', 'ec-P-256'],
    ['Ed25519', 'ed25519'],
  ])('signs as %s asks for it', async (_, name) => {
    const { body } = await sign({ cluster_uuid: cluster, csr: madeRequest(name) })
    const made = new X509Certificate(body.pem)
    const authority = await authorityOf(lab, cluster)
    expect(made.verify(authority.publicKey)).toBe(true)
    expect(made).toMatchObject({ ca: false, issuer: 'CN=blue_1' })
    expect(made.subject).toContain('CN=admin')
    expect(made.subject).toContain('O=system:masters')
  })

  it.each([
    ['etcd', 'etcd'],
    ['front_proxy', 'front-proxy'],
    ['front-proxy', 'front-proxy'],
    ['kubernetes', 'kubernetes'],
    ['unknown', 'kubernetes'],
  ])('with ca_cert_type %s signs with the authority of %s', async (sent, type) => {
    const { status, body } = await sign({ cluster_uuid: cluster, csr: CSR, ca_cert_type: sent })
    expect([status, body.ca_cert_type]).toEqual([201, sent])
    const authority = await authorityOf(lab, cluster, `?ca_cert_type=${type}`)
    expect(new X509Certificate(body.pem).verify(authority.publicKey)).toBe(true)
  })

  it('takes null as the default, and shows it', async () => {
    const { status, body } = await sign({ cluster_uuid: cluster, csr: CSR, ca_cert_type: null })
    expect([status, body.ca_cert_type]).toEqual([201, null])
  })

  it('logs who got which certificate', async () => {
    const { body } = await sign({ cluster_uuid: cluster, csr: CSR })
    const { serialNumber } = new X509Certificate(body.pem)
    expect(lab.log.lines.find(({ fields }) => fields.serialNumber === serialNumber)).toMatchObject({
      level: 'info',
      fields: { projectId: 'blue', clusterId: cluster, userId: 'alice', type: 'kubernetes' },
    })
  })
})

describe('a request that is refused', () => {
  it.each([
    ['an unknown cluster (report 27)', { cluster_uuid: 'nothing', csr: CSR }, 400, /"cluster_uuid" names no cluster/],
    ['an unknown id', { cluster_uuid: '00000000-0000-4000-8000-000000000000', csr: CSR }, 400, /names no cluster/],
    ['no cluster (13.5)', { csr: CSR }, 404, /"cluster_uuid"/],
    ['null as the cluster', { cluster_uuid: null, csr: CSR }, 404, /"cluster_uuid"/],
    ['no csr (13.6)', { cluster_uuid: 'blue_1' }, 400, /"csr" must be/],
    ['null as csr', { cluster_uuid: 'blue_1', csr: null }, 400, /"csr" must be/],
    ['an empty csr', { cluster_uuid: 'blue_1', csr: '' }, 400, /"csr" must be/],
    ['a number as csr', { cluster_uuid: 'blue_1', csr: 1 }, 400, /"csr" must be/],
    ['an oversized csr', { cluster_uuid: 'blue_1', csr: 'x'.repeat(16_385) }, 400, /"csr" must be/],
    ['bay_uuid', { bay_uuid: 'blue_1', csr: CSR }, 400, /bay_uuid/],
    ['an attribute of the server', { cluster_uuid: 'blue_1', csr: CSR, pem: 'x' }, 400, /Only the server sets: "pem"/],
    ['a list as ca_cert_type', { cluster_uuid: 'blue_1', csr: CSR, ca_cert_type: [] }, 400, /ca_cert_type/],
    ['a damaged csr', { cluster_uuid: 'blue_1', csr: CSR.replace('M', 'N') }, 400, /"csr"/],
    ['two of them', { cluster_uuid: 'blue_1', csr: CSR + CSR }, 400, /2 PEM blocks/],
    [
      'a weak key',
      { cluster_uuid: 'blue_1', csr: madeRequest('rsa-1024-sha256') },
      400,
      /1024 bits, which is too weak/,
    ],
    ['SHA-1', { cluster_uuid: 'blue_1', csr: madeRequest('rsa-2048-sha1') }, 400, /SHA-256/],
    ['another curve', { cluster_uuid: 'blue_1', csr: madeRequest('ec-secp256k1') }, 400, /curve/],
  ])('for %s', async (_, body, status, why) => {
    const answer = await sign(body)
    expect([answer.status, detailOf(answer)]).toEqual([status, expect.stringMatching(why)])
  })

  it('for a certificate in place of a signing request', async () => {
    const { body } = await sign({ cluster_uuid: cluster, csr: CSR })
    const answer = await sign({ cluster_uuid: cluster, csr: body.pem })
    expect([answer.status, detailOf(answer)]).toEqual([400, expect.stringContaining('a certificate in place of')])
  })

  it.each([undefined, '[]', 'null', '"x"'])('for the body %s', async (body) => {
    expect((await lab.call('POST', '/v1/certificates', { body })).status).toBe(400)
  })

  it('for an ambiguous name, with 409', async () => {
    await givenCluster(lab, { name: 'twin' })
    await givenCluster(lab, { name: 'twin' })
    expect((await sign({ cluster_uuid: 'twin', csr: CSR })).status).toBe(409)
  })

  it('when the authority is not ours, with what to do instead', async () => {
    const answer = await sign({ cluster_uuid: await givenRegistered(lab), csr: CSR })
    expect(answer.status).toBe(400)
    expect(detailOf(answer)).toMatch(/does not hold the certificate authority.*kubeconfig.*CertificateSigningRequest/)
  })

  it('when TLS is disabled', async () => {
    const id = await givenCluster(lab)
    await disableTls(lab, id)
    const answer = await sign({ cluster_uuid: id, csr: CSR })
    expect([answer.status, detailOf(answer)]).toEqual([400, expect.stringContaining('tls_disabled')])
  })
})

describe('section 9.4: who may sign', () => {
  it.each([
    ['who made the cluster', ALICE_MEMBER, 201],
    ['another member of the project', CAROL, 403],
    ['a reader of the project', READER, 403],
    ['an administrator', ADMIN_ALONE, 201],
    ['somebody of another project', BOB, 400],
    ['an administrator of another project', FOREIGN_ADMIN, 400],
  ])('%s gets %o → %i', async (_, as, status) => {
    expect((await sign({ cluster_uuid: cluster, csr: CSR }, as)).status).toBe(status)
  })
})

describe('private keys', () => {
  it('are in no answer and no log line, also when one is sent', async () => {
    const sent = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0LW9mLXRoZS1jYWxsZXI=\n-----END PRIVATE KEY-----\n'
    const answer = await sign({ cluster_uuid: cluster, csr: sent + CSR })
    expect([answer.status, detailOf(answer)]).toEqual([400, expect.stringContaining('must stay with you')])
    const authority = await lab.stores.certificates.open({
      projectId: 'blue',
      clusterId: cluster,
      type: 'kubernetes',
      candidate: false,
    })
    const keyLine = authority!.privateKey.reveal().split('\n')[1]!
    const shown = answer.text + textOf(lab.log) + (await lab.call('GET', `/v1/certificates/${cluster}`)).text
    expect([shown.includes('c2VjcmV0'), shown.includes(keyLine), shown.includes('BEGIN PRIVATE')]).toEqual([
      false,
      false,
      false,
    ])
  })
})
