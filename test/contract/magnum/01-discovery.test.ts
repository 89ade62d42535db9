import { expect } from 'vitest'
import { BASE_URL } from '../../support/api/lab.ts'
import { type Call, contractTables, type Row } from './row.ts'

const VERSION = 'openstack-api-version'
const MINIMUM = 'openstack-api-minimum-version'
const MAXIMUM = 'openstack-api-maximum-version'
const SERVICE = 'container-infrastructure-management'

const versions = (effective: string) => ({
  [VERSION]: `${SERVICE} ${effective}`,
  [MINIMUM]: `${SERVICE} 1.1`,
  [MAXIMUM]: `${SERVICE} 1.14`,
  vary: 'OpenStack-API-Version',
})
const NONE = { [VERSION]: undefined, [MINIMUM]: undefined, [MAXIMUM]: undefined, vary: undefined }
const REQUEST_ID = expect.stringMatching(/^req-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)

const anonymous = (line: string, more: Partial<Call> = {}): Call => ({ line, as: null, ...more })
const withVersion = (value: string, line = 'GET /v1/clusters'): Call => ({
  line,
  headers: { 'OpenStack-API-Version': value },
})

const ROOT: Row[] = [
  {
    section: '1.1',
    name: 'the root has name, description and versions, and needs no token',
    request: anonymous('GET /'),
    expect: { status: 200, keys: ['name', 'description', 'versions'], body: { name: 'OpenStack Magnum API' } },
  },
  {
    section: '1.1',
    name: 'the root shows one current version',
    request: anonymous('GET /'),
    expect: {
      status: 200,
      of: 'versions.0',
      keys: ['id', 'status', 'min_version', 'max_version', 'links'],
      body: {
        id: 'v1',
        status: 'CURRENT',
        min_version: '1.1',
        max_version: '1.14',
        links: [{ rel: 'self', href: `${BASE_URL}/v1/` }],
      },
    },
  },
  {
    section: '1.1',
    name: 'the root checks no version',
    request: anonymous('GET /', { version: '9.9' }),
    expect: { status: 200, headers: NONE },
  },
]

/** Named resources of `/v1`. */
const RESOURCES = [
  'clustertemplates',
  'clusters',
  'quotas',
  'certificates',
  'mservices',
  'stats',
  'federations',
  'credentials',
]

const VERSION_1: Row[] = [
  ...['GET /v1', 'GET /v1/'].map(
    (line): Row => ({
      section: '1.2',
      name: `${line}, exact keys, no token`,
      request: anonymous(line),
      expect: {
        status: 200,
        keys: ['id', 'media_types', 'links', 'nodegroups', ...RESOURCES, 'drivers'],
        body: {
          id: 'v1',
          media_types: [{ base: 'application/json', type: 'application/vnd.openstack.magnum.v1+json' }],
          links: [
            { rel: 'self', href: `${BASE_URL}/v1/` },
            { rel: 'describedby', type: 'text/html', href: expect.any(String) },
          ],
        },
      },
    }),
  ),
  ...RESOURCES.map(
    (name): Row => ({
      section: '1.2',
      name: `/v1 links ${name}`,
      request: anonymous('GET /v1'),
      expect: {
        status: 200,
        of: name,
        body: [
          { rel: 'self', href: `${BASE_URL}/v1/${name}/` },
          { rel: 'bookmark', href: `${BASE_URL}/${name}/` },
        ],
      },
    }),
  ),
  {
    section: '1.2',
    name: '/v1 links nodegroups as a literal template',
    request: anonymous('GET /v1'),
    expect: {
      status: 200,
      of: 'nodegroups',
      body: [
        { rel: 'self', href: `${BASE_URL}/v1/clusters/{cluster_id}/nodegroups` },
        { rel: 'bookmark', href: `${BASE_URL}/clusters/{cluster_id}/nodegroups` },
      ],
    },
  },
  {
    section: '1.2',
    name: '/v1 checks the version',
    request: anonymous('GET /v1', { version: '1.15' }),
    expect: 406,
  },
  {
    section: '1.2',
    name: 'the health check needs no token',
    request: anonymous('GET /healthcheck'),
    expect: { status: 200, headers: { 'content-type': expect.stringMatching(/^text\//) } },
  },
  ...['clusters', 'clustertemplates', 'federations', 'quotas', 'stats', 'mservices'].map(
    (name): Row => ({
      section: '1.2',
      name: `/${name} is /v1/${name}`,
      request: `GET /${name}`,
      expect: { status: 200, headers: versions('1.1') },
    }),
  ),
]

const REQUEST_ID_ROWS: [line: string, status: number, as?: null][] = [
  ['GET /', 200],
  ['GET /v1', 200],
  ['GET /healthcheck', 200],
  ['GET /v1/clusters', 200],
  ['GET /v1/nothing', 404],
  ['PUT /v1/clusters', 405],
  ['GET /v1/clusters', 401, null],
]

const HEADERS: Row[] = [
  {
    section: '1.3',
    name: 'no header is 1.1',
    request: 'GET /v1/clusters',
    expect: { status: 200, headers: versions('1.1') },
  },
  {
    section: '1.3',
    name: 'a refusal carries the headers',
    request: 'GET /v1/clusters/none',
    expect: { status: 404, headers: versions('1.1') },
  },
  ...['container-infra', 'container-infrastructure', SERVICE].flatMap((type) =>
    ['1.1', '1.7', '1.14'].map(
      (version): Row => ({
        section: '1.3',
        name: `${type} ${version}`,
        request: withVersion(`${type} ${version}`),
        expect: { status: 200, headers: versions(version) },
      }),
    ),
  ),
  ...['container-infra latest', 'container-infra LATEST', 'container-infra Latest', 'compute latest'].map(
    (value): Row => ({
      section: '1.3',
      name: `${value} is the maximum`,
      request: withVersion(value),
      expect: { status: 200, headers: versions('1.14') },
    }),
  ),
  ...['1.5', 'latest', 'container-infra', 'container-infra 1.5 x', 'compute 1.5'].map(
    (value): Row => ({
      section: '1.3',
      name: `"${value}" (tokens, service type)`,
      request: withVersion(value),
      expect: { status: 406, code: '', headers: versions('1.1') },
    }),
  ),
  ...['1.x', 'x.1', '1', '1.2.3', '1.', 'newest', '-1.5', '1.-5'].map(
    (version): Row => ({
      section: '1.3',
      name: `"container-infra ${version}" (no two-part number)`,
      request: withVersion(`container-infra ${version}`),
      expect: { status: 406, code: '', headers: versions('1.1') },
    }),
  ),
  ...['1.0', '1.15', '0.1', '2.1', '1.99'].map(
    (version): Row => ({
      section: '1.3',
      name: `${version} (out of range) is reported with the headers of the request`,
      request: withVersion(`container-infra ${version}`),
      expect: {
        status: 406,
        of: 'errors.0',
        keys: ['code', 'title', 'description', 'min_version', 'max_version', 'links'],
        body: {
          code: 'magnum.microversion-unsupported',
          min_version: '1.1',
          max_version: '1.14',
          links: [{ rel: 'help', href: expect.stringMatching(/^http/) }],
        },
        headers: versions(version),
      },
    }),
  ),
  {
    section: '1.3',
    name: 'a method that only other versions have is a general 406',
    request: { line: 'GET /v1/clusters/none/nodegroups', version: '1.8' },
    expect: { status: 406, code: '', headers: versions('1.8') },
  },
  ...REQUEST_ID_ROWS.map(
    ([line, status, as]): Row => ({
      section: '1.3',
      name: `${line} (${status}) carries a request id`,
      request: { line, ...(as === null ? { as } : {}) },
      expect: { status, headers: { 'x-openstack-request-id': REQUEST_ID } },
    }),
  ),
]

contractTables({ root: ROOT, 'version 1': VERSION_1, 'version headers': HEADERS })
