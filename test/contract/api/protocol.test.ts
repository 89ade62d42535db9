import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { apiApp } from '../../../functions/api/app.ts'
import { StoreBusy } from '../../../functions/store/errors.ts'
import { localOpenApi } from '../../../local/open-api.ts'
import { type ApiLab, BASE_URL, callApp, createApiLab } from '../../support/api/lab.ts'
import { ALICE, type CallOptions } from '../../support/api/request.ts'
import { defaultPolicy } from '../../support/policy.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const version = (value: string): CallOptions => ({ headers: { 'OpenStack-API-Version': value } })

type StatusRow = [section: string, what: string, method: string, target: string, options: CallOptions, status: number]

const STATUSES: StatusRow[] = [
  ['1.1', 'the root', 'GET', '/', { as: null }, 200],
  ['1.2', 'the version', 'GET', '/v1', { as: null }, 200],
  ['1.2', 'the version with a slash', 'GET', '/v1/', { as: null }, 200],
  ['1.2', 'the health check', 'GET', '/healthcheck', { as: null }, 200],
  ['1.2', 'an unversioned path', 'GET', '/federations', {}, 200],
  ['0.10', 'a trailing slash', 'GET', '/v1/clusters/', {}, 200],
  ['0.10', 'HEAD', 'HEAD', '/v1/clusters', {}, 200],
  [
    '0.9',
    'a GET with a JSON content type and no body',
    'GET',
    '/v1/clusters',
    { headers: { 'Content-Type': 'application/json' } },
    200,
  ],
  [
    '0.9',
    'a DELETE with octet-stream and no body',
    'DELETE',
    '/v1/clusters/none',
    { headers: { 'Content-Type': 'application/octet-stream' } },
    404,
  ],
  ['1.3', 'no version header', 'GET', '/v1/clusters', {}, 200],
  ['1.3', 'latest', 'GET', '/v1/clusters', version('container-infra latest'), 200],
  ['1.3', 'latest in capitals', 'GET', '/v1/clusters', version('container-infra LATEST'), 200],
  ['1.3', 'latest of a wrong service', 'GET', '/v1/clusters', version('compute latest'), 200],
  ['1.3', 'each service type', 'GET', '/v1/clusters', version('container-infrastructure 1.14'), 200],
  ['1.3', 'one token', 'GET', '/v1/clusters', version('1.14'), 406],
  ['1.3', 'three tokens', 'GET', '/v1/clusters', version('container-infra 1.14 x'), 406],
  ['1.3', 'an unknown service', 'GET', '/v1/clusters', version('compute 1.5'), 406],
  ['1.3', 'a version that is no number', 'GET', '/v1/clusters', version('container-infra 1.x'), 406],
  ['1.3', 'a version of one part', 'GET', '/v1/clusters', version('container-infra 1'), 406],
  ['1.3', 'a minor above the range', 'GET', '/v1/clusters', version('container-infra 1.15'), 406],
  ['1.3', 'a minor below the range', 'GET', '/v1/clusters', version('container-infra 1.0'), 406],
  ['1.3', 'another major', 'GET', '/v1', { as: null, ...version('container-infra 2.1') }, 406],
  ['2', 'Accept without JSON', 'GET', '/v1/clusters', { headers: { Accept: 'text/html' } }, 406],
  ['2', 'Accept that excludes JSON', 'GET', '/v1/clusters', { headers: { Accept: 'application/json;q=0' } }, 406],
  [
    '2',
    'Accept with JSON among others',
    'GET',
    '/v1/clusters',
    { headers: { Accept: 'text/html, application/json' } },
    200,
  ],
  ['2', 'Accept of anything', 'GET', '/v1/clusters', { headers: { Accept: 'text/html, */*;q=0.1' } }, 200],
  ['10.4', 'an empty Accept', 'GET', '/v1/clusters', { headers: { Accept: '' } }, 200],
  ['2', 'an unknown path', 'GET', '/v1/nothing', {}, 404],
  ['2', 'an unknown unversioned path', 'GET', '/v2/clusters', {}, 404],
  ['2', 'a path with broken escapes', 'GET', '/v1/clusters/%zz', {}, 404],
  ['4', 'a cluster in detail', 'GET', '/v1/clusters/x/detail', {}, 404],
  ['8.2', 'PUT', 'PUT', '/v1/federations', {}, 405],
  ['2', 'PUT on an object', 'PUT', '/v1/clusters/x', {}, 405],
  ['2', 'POST on a list that can not grow', 'POST', '/v1/drivers', { body: {} }, 405],
  ['13.4', 'DELETE without an id', 'DELETE', '/v1/clusters', {}, 400],
  ['13.4', 'PATCH without an id', 'PATCH', '/v1/federations', { body: [] }, 400],
  ['13.4', 'POST with an id', 'POST', '/v1/clusters/x', { body: {} }, 400],
  ['13.4', 'detail of a federation by name', 'GET', '/v1/federations/x/detail', {}, 400],
  [
    '13.4',
    'detail of a federation by id',
    'GET',
    '/v1/federations/00000000-0000-4000-8000-000000000001/detail',
    {},
    404,
  ],
  [
    '2',
    'an unknown content type with a body',
    'POST',
    '/v1/clusters',
    { body: 'a=b', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    415,
  ],
  [
    '0.9',
    'octet-stream with a body',
    'POST',
    '/v1/clusters',
    { body: '{}', headers: { 'Content-Type': 'application/octet-stream' } },
    415,
  ],
  ['2', 'a compressed body', 'POST', '/v1/clusters', { body: '{}', headers: { 'Content-Encoding': 'gzip' } }, 415],
  [
    '2',
    'a plain body that says so',
    'PATCH',
    '/v1/clusters/none',
    { body: '[]', headers: { 'Content-Encoding': 'identity' } },
    404,
  ],
  [
    '2',
    'a body without a content type',
    'PATCH',
    '/v1/clusters/none',
    { body: '[]', headers: { 'Content-Type': '' } },
    404,
  ],
  [
    '9.1',
    'a patch content type',
    'PATCH',
    '/v1/clusters/none',
    { body: '[]', headers: { 'Content-Type': 'application/json-patch+json' } },
    404,
  ],
  [
    '2',
    'a content type with parameters',
    'PATCH',
    '/v1/clusters/none',
    { body: '[]', headers: { 'Content-Type': 'Application/JSON; charset=utf-8' } },
    404,
  ],
  ['3', 'nobody', 'GET', '/v1/clusters', { as: null }, 401],
  ['3', 'nobody on an unknown path', 'GET', '/v1/nothing', { as: null }, 401],
  ['2', 'an unknown query parameter', 'GET', '/v1/clusters?all_tenants=1', {}, 400],
  ['2', 'a query parameter given twice', 'GET', '/v1/clusters?limit=1&limit=2', {}, 400],
]

it.each(STATUSES)('section %s: %s', async (...[, , method, target, options, status]) => {
  expect((await lab.call(method, target, options)).status).toBe(status)
})

describe('version headers (sections 1.3, 13.3)', () => {
  const NAMES = ['openstack-api-version', 'openstack-api-minimum-version', 'openstack-api-maximum-version', 'vary']
  const shown = (headers: Record<string, string>) => NAMES.map((name) => headers[name]?.split(' ').at(-1))

  it.each<[string, string, CallOptions, (string | undefined)[]]>([
    ['without a header', '/v1/clusters', {}, ['1.1', '1.1', '1.14', 'OpenStack-API-Version']],
    ['of latest', '/v1/clusters', version('container-infra latest'), ['1.14', '1.1', '1.14', 'OpenStack-API-Version']],
    [
      'of 1.13',
      '/v1',
      { as: null, ...version('container-infra 1.13') },
      ['1.13', '1.1', '1.14', 'OpenStack-API-Version'],
    ],
    ['on an error', '/v1/clusters/none', {}, ['1.1', '1.1', '1.14', 'OpenStack-API-Version']],
    [
      'of an unsupported version',
      '/v1/clusters',
      version('container-infra 1.99'),
      ['1.99', '1.1', '1.14', 'OpenStack-API-Version'],
    ],
    ['of a malformed one', '/v1/clusters', version('junk'), ['1.1', '1.1', '1.14', 'OpenStack-API-Version']],
    ['on an unknown path', '/v1/nothing', {}, ['1.1', '1.1', '1.14', 'OpenStack-API-Version']],
    ['for nobody', '/v1/clusters', { as: null }, ['1.1', '1.1', '1.14', 'OpenStack-API-Version']],
    [
      'on Accept 406',
      '/v1/clusters',
      { headers: { Accept: 'text/html' } },
      ['1.1', '1.1', '1.14', 'OpenStack-API-Version'],
    ],
    ['not outside of the version', '/', { as: null }, [undefined, undefined, undefined, undefined]],
  ])('are there %s', async (_what, target, options, expected) => {
    expect(shown((await lab.call('GET', target, options)).headers)).toEqual(expected)
  })

  it('name the service', async () => {
    const { headers } = await lab.call('GET', '/v1/clusters')
    expect(headers['openstack-api-version']).toBe('container-infrastructure-management 1.1')
  })

  it('are on a 405', async () => {
    expect(shown((await lab.call('PUT', '/v1/clusters')).headers)).toEqual([
      '1.1',
      '1.1',
      '1.14',
      'OpenStack-API-Version',
    ])
  })
})

describe('the envelope (section 3)', () => {
  it.each<[string, string, string, CallOptions, string]>([
    ['client for refusals of the application', 'GET', '/v1/clusters/none', {}, 'client'],
    ['empty for an unknown path', 'GET', '/v1/nothing', {}, ''],
    ['empty for a wrong method', 'PUT', '/v1/clusters', {}, ''],
    ['empty for a malformed version', 'GET', '/v1/clusters', version('junk'), ''],
  ])('has the code %s', async (...[, method, target, options, code]) => {
    const { body, status } = await lab.call(method, target, options)
    expect(body.errors).toEqual([
      { request_id: '', code, status, title: expect.any(String), detail: expect.any(String), links: [] },
    ])
  })

  it('has an empty title when Accept excludes JSON', async () => {
    const { body } = await lab.call('GET', '/v1/clusters', { headers: { Accept: 'text/html' } })
    expect(body.errors[0].title).toBe('')
  })

  it('has a whole sentence as title, dots in names or not', async () => {
    const { body } = await lab.call('GET', '/v1/clusters/karmada.example.com')
    expect(body.errors[0].title).toBe('Cluster "karmada.example.com" could not be found.')
  })

  it.each([
    '/v1/clustertemplates',
    '/v1/quotas/blue/Cluster',
    '/v1/certificates/x',
    '/v1/mservices',
    '/v1/stats',
    '/v1/credentials/x',
    '/v1/clusters/x/nodegroups',
    '/v1/clusters/x/nodegroups/y',
    '/v1/clusters/x/actions/resize',
    '/v1/clusters/x/actions/upgrade',
    '/quotas/',
  ])('%s is a path of Magnum’s and there', async (path) => {
    const { body } = await lab.call('GET', path, { headers: { 'OpenStack-API-Version': 'container-infra latest' } })
    expect(body.errors?.[0].detail ?? '').not.toContain('no such path')
  })

  it('says of a path that nobody has what there is', async () => {
    expect((await lab.call('GET', '/v1/nothing')).body.errors[0].detail).toBe(
      'The resource could not be found: no such path. There are /v1/certificates, /v1/clusters, /v1/clustertemplates, /v1/credentials, /v1/drivers, /v1/events, /v1/federations, /v1/grants, /v1/hooks, /v1/mservices, /v1/openapi.json, /v1/quotas, /v1/stats, /v1/triggers and /v1/whoami.',
    )
  })

  it.each([
    ['DELETE', '/v1/federations/x?forced=1', 'Unknown query parameter: "forced". Allowed are force and workloads.'],
    ['GET', '/v1/federations/x/kubeconfig?expires=1', 'Unknown query parameter: "expires". Allowed is expires_in.'],
    [
      'PATCH',
      '/v1/federations/x?a=1&b=1',
      'Unknown query parameters: "a" and "b". Allowed are rollback, dry_run, force and workloads.',
    ],
  ])('%s %s has its words in the right number', async (method, target, detail) => {
    expect((await lab.call(method, target, { body: method === 'PATCH' ? [] : undefined })).body.errors[0].detail).toBe(
      detail,
    )
  })

  it('is its own for an unsupported version', async () => {
    const { body } = await lab.call('GET', '/v1/clusters', version('container-infra 1.15'))
    expect(body.errors).toEqual([
      {
        code: 'magnum.microversion-unsupported',
        title: expect.any(String),
        description: expect.stringContaining('1.15'),
        min_version: '1.1',
        max_version: '1.14',
        links: [{ rel: 'help', href: expect.any(String) }],
      },
    ])
  })

  it('shows nothing of an unexpected error, and logs it', async () => {
    const { listWithin } = lab.stores.clusters
    lab.stores.clusters.listWithin = () => Promise.reject(new Error('secret detail'))
    const answer = await lab.call('GET', '/v1/clusters')
    lab.stores.clusters.listWithin = listWithin
    expect([answer.status, answer.body.errors[0].code, answer.text.includes('secret detail')]).toEqual([
      500,
      'server',
      false,
    ])
    expect(
      lab.log.lines.some(({ level, fields }) => level === 'error' && String(fields.error).includes('secret detail')),
    ).toBe(true)
  })

  it('says which methods a 405 allows', async () => {
    expect((await lab.call('PUT', '/v1/federations/x')).headers.allow).toBe('GET, PATCH, DELETE')
  })

  it('is not around a 401, which names the authority', async () => {
    const { body, headers } = await lab.call('GET', '/v1/clusters', { as: 'The token has expired.' })
    expect(body).toEqual({ error: { code: 401, title: 'Unauthorized', message: 'The token has expired.' } })
    expect(headers['www-authenticate']).toBe(`Keystone uri="${BASE_URL}"`)
  })
})

it.each([
  ['/', 200],
  ['/v1/clusters', 200],
  ['/v1/nothing', 404],
])('section 1.3: %s carries a request id', async (target) => {
  const { headers } = await lab.call('GET', target)
  expect(headers['x-openstack-request-id']).toMatch(/^req-[0-9a-f-]{36}$/)
})

describe('discovery', () => {
  it('section 1.1: the root lists the one version', async () => {
    const { body } = await lab.call('GET', '/', { as: null })
    expect(body.versions).toEqual([
      {
        id: 'v1',
        status: 'CURRENT',
        min_version: '1.1',
        max_version: '1.14',
        links: [{ rel: 'self', href: `${BASE_URL}/v1/` }],
      },
    ])
  })

  it('section 1.2: the version lists its resources', async () => {
    const { body } = await lab.call('GET', '/v1', { as: null })
    const resources = [
      'clustertemplates',
      'clusters',
      'quotas',
      'certificates',
      'mservices',
      'stats',
      'federations',
      'credentials',
      'drivers',
    ]
    expect(Object.keys(body).sort()).toEqual(['id', 'media_types', 'links', 'nodegroups', ...resources].sort())
    expect(body.federations).toEqual([
      { href: `${BASE_URL}/v1/federations/`, rel: 'self' },
      { href: `${BASE_URL}/federations/`, rel: 'bookmark' },
    ])
  })

  it('section 13.12: the health check answers JSON when asked for it', async () => {
    const { headers } = await lab.call('GET', '/healthcheck', { headers: { Accept: 'application/json' } })
    expect(headers['content-type']).toBe('application/json')
  })

  it('section 1.2: the health check is 503 while the database does not answer', async () => {
    const busy = () => Promise.reject(new StoreBusy('The database is busy.'))
    const stores = { ...lab.ports.stores, clusters: { ...lab.ports.stores.clusters, get: busy } }
    const app = apiApp(
      { ...lab.ports, stores },
      {
        baseUrl: BASE_URL,
        trustForwarded: false,
        policy: defaultPolicy,
        openApi: localOpenApi,
        clustersPerProject: 20,
      },
    )
    const { status, text } = await callApp(app, 'GET', '/healthcheck')
    expect([status, text]).toEqual([503, 'The database is busy.'])
  })

  it('section 1.2: the health check is 503 within 3 seconds while the database hangs', async () => {
    const hanging = { ...lab.ports.stores.clusters, get: () => new Promise<never>(() => undefined) }
    const app = lab.appOver({ stores: { ...lab.ports.stores, clusters: hanging } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const answer = callApp(app, 'GET', '/healthcheck', { as: null })
      await vi.advanceTimersByTimeAsync(3_000)
      const { status, text } = await answer
      expect([status, text]).toEqual([503, 'The database has not answered within 2.5 seconds.'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('HEAD has no body', async () => {
    expect((await lab.call('HEAD', '/v1/clusters')).text).toBe('')
  })
})

describe('links', () => {
  const forwarded = {
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'api.example.com',
    'X-Forwarded-Prefix': '/infra',
  }
  const self = async (trustForwarded: boolean, headers: Record<string, string>) => {
    const app = lab.appWith({ baseUrl: 'http://base/', trustForwarded })
    return (await callApp(app, 'GET', '/', { as: ALICE, headers })).body.versions[0].links[0].href
  }

  it.each<[string, boolean, Record<string, string>, string]>([
    ['come from the configuration', false, {}, 'http://base/v1/'],
    ['ignore X-Forwarded-* that nobody vouches for', false, forwarded, 'http://base/v1/'],
    [
      'follow X-Forwarded-* of a trusted proxy, mount path included',
      true,
      forwarded,
      'https://api.example.com/infra/v1/',
    ],
    ['follow the scheme alone', true, { 'X-Forwarded-Proto': 'https' }, 'https://base/v1/'],
    ['follow the mount path alone', true, { 'X-Forwarded-Prefix': '/infra' }, 'http://base/infra/v1/'],
    ['pass over a port that is none', true, { 'X-Forwarded-Host': 'h:99999' }, 'http://base/v1/'],
    ['pass over an address that is none', true, { 'X-Forwarded-Host': '300.1.1.1' }, 'http://base/v1/'],
    ['pass over a forwarded host that is none', true, { 'X-Forwarded-Host': 'evil"><script>' }, 'http://base/v1/'],
  ])('%s', async (_what, trustForwarded, headers, expected) => {
    expect(await self(trustForwarded, headers)).toBe(expected)
  })
})
