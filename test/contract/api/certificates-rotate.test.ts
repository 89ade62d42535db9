import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUTHORITIES, type Cluster } from '../../../functions/core/cluster/cluster.ts'
import {
  ADMIN_ALONE,
  authorityOf,
  CAROL,
  disableTls,
  FOREIGN_ADMIN,
  givenRegistered,
  storedAuthority,
} from '../../support/api/certificates.ts'
import { givenCluster, readCluster } from '../../support/api/entities.ts'
import { type Answer, type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { BOB, type CallOptions, READER } from '../../support/api/request.ts'
import { madeRequest } from '../../support/x509/signing-requests.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const LATEST = { 'OpenStack-API-Version': 'container-infra latest' }
const rotate = (ident: string, options: CallOptions = {}) => lab.call('PATCH', `/v1/certificates/${ident}`, options)
const rotateCredential = (ident: string, { headers = LATEST, ...options }: CallOptions = {}) =>
  lab.call('PATCH', `/v1/credentials/${ident}`, { headers, ...options })
const detailOf = ({ body }: Answer): string => body.errors[0].detail

const WRONG_STATES: Cluster['status'][] = [
  'CREATE_IN_PROGRESS',
  'UPDATE_IN_PROGRESS',
  'DELETE_IN_PROGRESS',
  'CREATE_FAILED',
  'DELETE_FAILED',
]
const GOOD_STATES: Cluster['status'][] = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_FAILED']

describe('section 7.1: PATCH certificate', () => {
  it.each(GOOD_STATES)('on %s begins a rotation, which shows at once', async (status) => {
    const id = await givenCluster(lab, { status })
    const answer = await rotate(id)
    expect([answer.status, answer.body]).toEqual([202, { uuid: id }])
    expect(await readCluster(lab, id)).toMatchObject({
      status: 'UPDATE_IN_PROGRESS',
      operation: { kind: 'update' },
      task: { kind: 'rotate-authority' },
    })
    expect(lab.executions.starts.at(-1)).toMatchObject({ flow: 'cluster-update', input: { entityId: id } })
  })

  it('seals new authorities beside the present ones, which stay in use', async () => {
    const id = await givenCluster(lab, { name: 'renewed' })
    const before = await authorityOf(lab, id)
    await rotate('renewed')
    expect((await authorityOf(lab, id)).fingerprint256).toBe(before.fingerprint256)
    for (const type of AUTHORITIES) {
      const [present, candidate] = await Promise.all([
        storedAuthority(lab, id, type),
        storedAuthority(lab, id, type, true),
      ])
      const next = new X509Certificate(candidate!.certificatePem)
      expect(next).toMatchObject({ ca: true, subject: 'CN=renewed' })
      expect(next.fingerprint256).not.toBe(new X509Certificate(present!.certificatePem).fingerprint256)
      expect(candidate!.privateKey.reveal()).not.toBe(present!.privateKey.reveal())
    }
    const { body } = await lab.call('POST', '/v1/certificates', {
      body: { cluster_uuid: id, csr: madeRequest('ec-P-256') },
    })
    expect(new X509Certificate(body.pem).verify(before.publicKey)).toBe(true)
  })

  it.each<[string, CallOptions]>([
    ['nothing, as gophercloud sends it', {}],
    [
      'nothing, as the CLI sends it',
      { headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': '0' } },
    ],
    ['an empty object', { body: {} }],
  ])('takes %s', async (_, options) => {
    expect((await rotate(await givenCluster(lab), options)).status).toBe(202)
  })

  it.each(['null', '[]', '"x"', '0', '{"ca_cert_type":"etcd"}', '{'])(
    'refuses the body %s and changes nothing',
    async (body) => {
      const id = await givenCluster(lab)
      expect((await rotate(id, { body })).status).toBe(400)
      expect(await readCluster(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', operation: null })
    },
  )

  it.each(WRONG_STATES)('refuses %s with 400 at once', async (status) => {
    const id = await givenCluster(lab, { status })
    const answer = await rotate(id)
    expect([answer.status, detailOf(answer)]).toEqual([400, expect.stringContaining(status)])
    expect(await storedAuthority(lab, id, 'kubernetes', true)).toBeUndefined()
  })

  it('refuses a second rotation while one runs', async () => {
    const id = await givenCluster(lab)
    const answers = await Promise.all([rotate(id), rotate(id), rotate(id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 400, 400])
  })

  it('refuses a cluster without TLS', async () => {
    const id = await givenCluster(lab)
    await disableTls(lab, id)
    const answer = await rotate(id)
    expect([answer.status, detailOf(answer)]).toEqual([400, expect.stringContaining('tls_disabled')])
  })

  it('refuses a cluster whose driver has no way to do it', async () => {
    const answer = await rotate(await givenRegistered(lab))
    expect([answer.status, detailOf(answer)]).toEqual([
      400,
      expect.stringMatching(/driver kubeconfig@1 .* Replace them in the cluster itself\.$/),
    ])
  })

  it('does not send somebody into a cluster whose nodes another makes', async () => {
    const answer = await rotate(await givenCluster(lab, { body: { driver: 'rigid@1' } }))
    expect([answer.status, detailOf(answer)]).toEqual([
      400,
      expect.stringMatching(
        /^The certificate authorities of cluster .* driver rigid@1 .* Make a new cluster, and move to it\.$/,
      ),
    ])
  })

  it('tells what the driver says against it', async () => {
    const body = { driver: 'memory@1', labels: { refused: 'The masters are asleep.' } }
    const id = await givenUnchecked(body)
    const answer = await rotate(id)
    expect([answer.status, detailOf(answer)]).toEqual([400, 'The masters are asleep.'])
  })

  it.each([
    ['another member of the project', CAROL, 202],
    ['an administrator', ADMIN_ALONE, 202],
    ['a reader of the project', READER, 403],
    ['somebody of another project', BOB, 404],
    ['an administrator of another project', FOREIGN_ADMIN, 404],
  ])('by %s', async (_, as, status) => {
    expect((await rotate(await givenCluster(lab), { as })).status).toBe(status)
  })

  it('is 404 for an unknown cluster', async () => {
    expect((await rotate('nothing')).status).toBe(404)
  })
})

/** A cluster that got its labels after the driver had checked it. */
const givenUnchecked = async ({ labels }: { labels: Record<string, string> }): Promise<string> => {
  const id = await givenCluster(lab)
  const { magnum } = await readCluster(lab, id)
  await lab.stores.commit([lab.stores.clusters.change(await readCluster(lab, id), { magnum: { ...magnum, labels } })])
  return id
}

describe('section 7.2: PATCH credential', () => {
  it.each(GOOD_STATES)('on %s begins a rotation, which shows at once', async (status) => {
    const id = await givenCluster(lab, { status })
    const answer = await rotateCredential(id)
    expect([answer.status, answer.body]).toEqual([202, { uuid: id }])
    expect(await readCluster(lab, id)).toMatchObject({
      status: 'UPDATE_IN_PROGRESS',
      task: { kind: 'rotate-credential' },
    })
    expect(lab.executions.starts.at(-1)).toMatchObject({ flow: 'cluster-update', input: { entityId: id } })
  })

  it('takes a JSON content type without a body, as the CLI sends it', async () => {
    const headers = { ...LATEST, 'Content-Type': 'application/json', 'Content-Length': '0' }
    expect((await rotateCredential(await givenCluster(lab), { headers })).status).toBe(202)
  })

  it('came with version 1.12', async () => {
    const id = await givenCluster(lab)
    const statuses = async (version: string) =>
      (await rotateCredential(id, { headers: { 'OpenStack-API-Version': `container-infra ${version}` } })).status
    expect([await statuses('1.11'), await statuses('1.12')]).toEqual([406, 202])
  })

  it('is 405 for GET', async () => {
    expect((await lab.call('GET', '/v1/credentials/x', { headers: LATEST })).status).toBe(405)
  })

  it.each(WRONG_STATES)('refuses %s with 400 at once', async (status) => {
    const answer = await rotateCredential(await givenCluster(lab, { status }))
    expect([answer.status, detailOf(answer)]).toEqual([400, expect.stringContaining(status)])
  })

  it('refuses a cluster whose driver has no way to do it', async () => {
    const answer = await rotateCredential(await givenRegistered(lab))
    expect([answer.status, detailOf(answer)]).toEqual([400, expect.stringContaining('driver kubeconfig@1')])
  })

  it.each([
    ['another member of the project', CAROL, 202],
    ['an administrator who is no member', ADMIN_ALONE, 403],
    ['a reader of the project', READER, 403],
    ['somebody of another project', BOB, 404],
    ['an administrator and member of another project', FOREIGN_ADMIN, 404],
  ])('by %s', async (_, as, status) => {
    expect((await rotateCredential(await givenCluster(lab), { as })).status).toBe(status)
  })

  it('is 404 for an unknown cluster', async () => {
    expect((await rotateCredential('nothing')).status).toBe(404)
  })
})
