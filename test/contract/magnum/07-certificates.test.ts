import { X509Certificate } from 'node:crypto'
import { expect } from 'vitest'
import type { Status } from '../../../functions/core/values/status.ts'
import { disableTls } from '../../support/api/certificates.ts'
import { givenCluster, settleCluster } from '../../support/api/entities.ts'
import { BASE_URL } from '../../support/api/lab.ts'
import { copyCluster } from '../../support/api/node-groups.ts'
import { madeRequest } from '../../support/x509/signing-requests.ts'
import { BLUE_ADMIN, BLUE_READER, COLLEAGUE, OWNER } from './principals.ts'
import { type Call, contractTables, type Given, type Row } from './row.ts'

/** Sections 7.1, 7.2 and their rules of 9.4. The cluster `{done}` is ALICE's and named `demo`. */

const DAY = 86_400_000
const made = (looks: (certificate: X509Certificate) => boolean): unknown =>
  expect.toSatisfy((pem: string) => looks(new X509Certificate(pem)))
const yearsOf = ({ validFromDate, validToDate }: X509Certificate): number =>
  (validToDate.getTime() - validFromDate.getTime()) / DAY / 365.25

const LINKS = [
  { href: `${BASE_URL}/v1/certificates/{done}`, rel: 'self' },
  { href: `${BASE_URL}/certificates/{done}`, rel: 'bookmark' },
]
const KEYS = ['cluster_uuid', 'pem', 'links']

const SHOWS: Row[] = [
  ...['{done}', 'demo'].map(
    (ident): Row => ({
      section: '7.1',
      name: `GET by ${ident === 'demo' ? 'name' : 'UUID'}: exact keys`,
      request: `GET /v1/certificates/${ident}`,
      expect: {
        status: 200,
        keys: KEYS,
        body: { cluster_uuid: '{done}', links: LINKS, pem: made(({ ca }) => ca) },
      },
    }),
  ),
  ...[
    ['kubernetes', 'kubernetes'],
    ['etcd', 'etcd'],
    ['front_proxy', 'front'],
    ['front-proxy', 'front'],
    ['unknown', 'kubernetes'],
    ['', 'kubernetes'],
  ].map(
    ([type, is]): Row => ({
      section: '7.1',
      name: `ca_cert_type=${type} is the authority of ${is}`,
      request: `GET /v1/certificates/{done}?ca_cert_type=${type}`,
      expect: { status: 200, body: { pem: `{${is}}` } },
    }),
  ),
  { section: '7.1', name: 'GET of no cluster is 404', request: 'GET /v1/certificates/none', expect: 404 },
  { section: '7.1', name: 'GET of the collection is 405', request: 'GET /v1/certificates', expect: 405 },
  {
    section: '2',
    name: 'an unknown query parameter is 400',
    request: 'GET /v1/certificates/{done}?limit=1',
    expect: 400,
  },
]

const sign = (body: unknown, more: Partial<Call> = {}): Call => ({ line: 'POST /v1/certificates', body, ...more })
const CLI = { cluster_uuid: '{done}', csr: '{cli}' }

const SIGNED: [what: string, body: object, pem: (certificate: X509Certificate) => boolean][] = [
  [
    'subject of the request',
    CLI,
    ({ subject }) => subject.includes('CN=admin') && subject.includes('O=system:masters'),
  ],
  ['issuer is the cluster’s name', CLI, ({ issuer }) => issuer === 'CN=demo'],
  ['never an authority', CLI, ({ ca }) => !ca],
  ['never an authority, though the request wants it', { ...CLI, csr: '{greedy}' }, ({ ca }) => !ca],
  ['valid from a day ago', CLI, ({ validFromDate }) => Math.abs(Date.now() - DAY - validFromDate.getTime()) < DAY / 2],
  ['valid for five years', CLI, (certificate) => Math.abs(yearsOf(certificate) - 5) < 0.05],
  [
    'Terraform’s request, RSA 4096 with SHA-512',
    { ...CLI, csr: '{terraform}' },
    ({ subject }) => subject.includes('OU=terraform'),
  ],
  ['an EC key', { ...CLI, csr: '{ec}' }, ({ publicKey }) => publicKey.asymmetricKeyType === 'ec'],
  ['an Ed25519 key', { ...CLI, csr: '{ed}' }, ({ publicKey }) => publicKey.asymmetricKeyType === 'ed25519'],
]

const SIGNS: Row[] = [
  {
    section: '7.1',
    name: 'POST: exact keys',
    request: sign(CLI),
    expect: {
      status: 201,
      keys: [...KEYS, 'csr'],
      body: { cluster_uuid: '{done}', csr: '{cli}', links: LINKS },
    },
  },
  {
    section: '7.1',
    name: 'POST by name shows the UUID',
    request: sign({ ...CLI, cluster_uuid: 'demo' }),
    expect: { status: 201, body: { cluster_uuid: '{done}' } },
  },
  {
    section: '7.1',
    name: 'POST with ca_cert_type: it is in the answer',
    request: sign({ ...CLI, ca_cert_type: 'kubernetes' }),
    expect: { status: 201, keys: [...KEYS, 'csr', 'ca_cert_type'], body: { ca_cert_type: 'kubernetes' } },
  },
  ...SIGNED.map(
    ([what, body, pem]): Row => ({
      section: '7.1',
      name: `signed: ${what}`,
      request: sign(body),
      expect: { status: 201, body: { pem: made(pem) } },
    }),
  ),
]

const REFUSED_SIGNS: Row[] = (
  [
    ['no cluster of that name (11.27)', { ...CLI, cluster_uuid: 'none' }, 400],
    ['bay_uuid', { bay_uuid: '{done}', csr: '{cli}' }, 400],
    ['a request that is none', { ...CLI, csr: 'x' }, 400],
    ['an empty request', { ...CLI, csr: '' }, 400],
    ['no request', { cluster_uuid: '{done}' }, 400],
    ['no cluster (13.5)', { csr: '{cli}' }, 404],
    ['an unknown attribute', { ...CLI, colour: 'red' }, 400],
    ['links', { ...CLI, links: [] }, 400],
  ] as const
).map(([what, body, status]) => ({
  section: '7.1',
  name: `POST with ${what} is ${status}`,
  request: sign(body),
  expect: status,
}))

/** With authorities of its own: they are rotated. */
const fresh: Given = async (lab) => ({ c: await givenCluster(lab) })
const rotate = (more: Partial<Call> = {}): Call => ({ line: 'PATCH /v1/certificates/{c}', ...more })

const ROTATES: Row[] = [
  ...[undefined, {}].map(
    (body): Row => ({
      section: '7.1',
      name: `PATCH with ${body === undefined ? 'no body' : '{}'} is 202 with the uuid`,
      given: fresh,
      request: rotate({ body }),
      expect: { status: 202, keys: ['uuid'], body: { uuid: '{c}' } },
      after: { request: 'GET /v1/clusters/{c}', expect: { status: 200, body: { status: 'UPDATE_IN_PROGRESS' } } },
    }),
  ),
  {
    section: '7.1',
    name: 'PATCH with null is 400',
    request: { line: 'PATCH /v1/certificates/{done}', body: 'null' },
    expect: 400,
  },
  {
    section: '7.1',
    name: 'PATCH of a cluster without TLS is 400',
    given: async (lab, { done }) => {
      const c = await copyCluster(lab, done!)
      await disableTls(lab, c)
      return { c }
    },
    request: rotate(),
    expect: 400,
  },
  { section: '7.1', name: 'PATCH of no cluster is 404', request: 'PATCH /v1/certificates/none', expect: 404 },
]

const STATES: Status[] = [
  'CREATE_IN_PROGRESS',
  'CREATE_FAILED',
  'UPDATE_IN_PROGRESS',
  'DELETE_IN_PROGRESS',
  'DELETE_FAILED',
]
const inWrongState = (section: string, resource: string): Row[] =>
  STATES.map((status) => ({
    section,
    name: `PATCH /v1/${resource} of a cluster that is ${status} is 400`,
    given: async (lab, { done }) => {
      const c = await copyCluster(lab, done!)
      await settleCluster(lab, c, { status })
      return { c }
    },
    request: { line: `PATCH /v1/${resource}/{c}`, version: '1.12' },
    expect: 400,
  }))

const credential = (ident: string, more: Partial<Call> = {}): Call => ({
  line: `PATCH /v1/credentials/${ident}`,
  version: '1.12',
  ...more,
})

const CREDENTIALS: Row[] = [
  {
    section: '7.2',
    name: 'PATCH is 202 with the uuid, and shows at once',
    given: async (lab, { done }) => ({ c: await copyCluster(lab, done!) }),
    request: credential('{c}'),
    expect: { status: 202, keys: ['uuid'], body: { uuid: '{c}' } },
    after: { request: 'GET /v1/clusters/{c}', expect: { status: 200, body: { status: 'UPDATE_IN_PROGRESS' } } },
  },
  {
    section: '7.2',
    name: 'GET is 405',
    request: { line: 'GET /v1/credentials/{done}', version: '1.12' },
    expect: 405,
  },
  { section: '7.2', name: 'a driver that can not is 400', request: credential('{rigid}'), expect: 400 },
  { section: '7.2', name: 'PATCH of no cluster is 404', request: credential('none'), expect: 404 },
]

type Right = [what: string, as: Call['as'], status: number]
const rights = (section: string, request: Call, list: Right[]): Row[] =>
  list.map(([who, as, status]) => ({
    section,
    name: `${request.line.split('/{')[0]} by ${who} is ${status}`,
    ...(status === 202 ? { given: fresh } : {}),
    request: { ...request, as: as! },
    expect: status,
  }))

const RIGHTS: Row[] = [
  ...rights('9.4', { line: 'GET /v1/certificates/{done}' }, [
    ['the creator', OWNER, 200],
    ['a colleague', COLLEAGUE, 403],
    ['a reader', BLUE_READER, 403],
    ['an administrator', BLUE_ADMIN, 200],
  ]),
  ...rights('9.4', sign(CLI), [
    ['the creator', OWNER, 201],
    ['a colleague', COLLEAGUE, 403],
    ['a reader', BLUE_READER, 403],
    ['an administrator', BLUE_ADMIN, 201],
  ]),
  ...rights('9.4', rotate(), [
    ['the creator', OWNER, 202],
    ['a colleague', COLLEAGUE, 202],
    ['an administrator', BLUE_ADMIN, 202],
  ]),
  ...rights('9.4', { line: 'PATCH /v1/certificates/{done}' }, [['a reader', BLUE_READER, 403]]),
  ...rights('7.2', credential('{c}'), [
    ['the creator', OWNER, 202],
    ['a colleague', COLLEAGUE, 202],
  ]),
  ...rights('7.2', credential('{done}'), [
    ['a reader', BLUE_READER, 403],
    ['an administrator who is no member', BLUE_ADMIN, 403],
  ]),
]

contractTables(
  {
    show: SHOWS,
    sign: SIGNS,
    'sign that is refused': REFUSED_SIGNS,
    rotate: [...ROTATES, ...inWrongState('7.1', 'certificates')],
    credentials: [...CREDENTIALS, ...inWrongState('7.2', 'credentials')],
    rights: RIGHTS,
  },
  async (lab) => {
    const done = await givenCluster(lab, { name: 'demo' })
    const pem = async (type: string): Promise<string> =>
      (await lab.call('GET', `/v1/certificates/${done}?ca_cert_type=${type}`)).body.pem
    return {
      done,
      rigid: await givenCluster(lab, { body: { driver: 'rigid@1' } }),
      kubernetes: await pem('kubernetes'),
      etcd: await pem('etcd'),
      front: await pem('front_proxy'),
      cli: madeRequest('rsa-2048-sha256'),
      terraform: madeRequest('terraform'),
      greedy: madeRequest('wants-authority'),
      ec: madeRequest('ec-P-256'),
      ed: madeRequest('ed25519'),
    }
  },
)
