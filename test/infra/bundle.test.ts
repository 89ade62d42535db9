import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS_PATHS } from '../../functions/api/keys-elsewhere.ts'
import { ROUTES } from '../../functions/api/routes.ts'
import { type Bundle, bundleFunctions, functionEntries, SIZE_MAX_BYTES } from '../../infra/bundle.ts'
import { ASSETS } from '../../local/assets/assets.ts'
import { eventOf } from '../support/api/request.ts'
import { AUDIENCE, IssuerStandIn } from '../support/authorizer/issuer-stand-in.ts'
import { KeystoneStandIn, SERVICE_SECRET } from '../support/authorizer/keystone-stand-in.ts'
import type { Loopback } from '../support/authorizer/loopback.ts'
import { startSecrets } from '../support/authorizer/secrets-stand-in.ts'
import { invokeBundle } from '../support/infra-invoke.ts'
import { createTestTable, type TestTable } from '../support/store/database.ts'
import { serveOverHttp } from '../support/store/serve-over-http.ts'

/** Of one library beside a function, read at its first use. */
const LIBRARY_MAX_BYTES = 260_000

let outdir: string
let bundles: Bundle[]

beforeAll(async () => {
  outdir = mkdtempSync(path.join(tmpdir(), 'fedplane-dist-'))
  const assetsFolder = path.join(outdir, 'made')
  mkdirSync(assetsFolder)
  for (const name of ASSETS) writeFileSync(path.join(assetsFolder, name), name)
  bundles = await bundleFunctions({ outdir, assetsFolder })
})

afterAll(() => rmSync(outdir, { recursive: true }))

const bundleOf = (name: string): Bundle => {
  const found = bundles.find((bundle) => bundle.name === name)
  if (!found) throw new Error(`no bundle ${name}`)
  return found
}

describe('bundleFunctions', () => {
  it('bundles every Lambda entry file that there is', () => {
    const root = path.join(import.meta.dirname, '../..')
    const entries = execFileSync('find', ['functions', '-name', '*handler.ts'], { cwd: root })
      .toString()
      .trim()
      .split('\n')
    const lambda = entries.filter((file) => /(\/|\.)handler\.ts$/.test(file))
    expect(
      functionEntries()
        .map(({ entry }) => entry)
        .sort(),
    ).toEqual(lambda.sort())
  })

  it.each(functionEntries())('keeps $name within its size', ({ name, kind }) => {
    const { bytes } = bundleOf(name)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(SIZE_MAX_BYTES[kind])
  })

  it('makes each load on bare Node with a handler', () => {
    const files = bundles.map(({ folder }) => path.join(folder, 'index.js'))
    // A start that reads a library which only some requests need is slow for all.
    // Lambda's own, which is there before the bundle.
    const script = `globalThis.awslambda = { streamifyResponse: (handler) => handler }
      for (const file of ${JSON.stringify(files)}) console.log(typeof require(file).handler)
      console.log(Object.keys(require.cache).length)`
    // No node_modules and no settings: as they lie in Lambda before the first event.
    const types = execFileSync(process.execPath, ['-e', script], { cwd: outdir, env: {} }).toString().trim()
    expect(types.split('\n')).toEqual([...files.map(() => 'function'), String(files.length)])
  })

  it.each([
    ['ws', 'WebSocket'],
    ['x509', 'X509CertificateGenerator'],
    ['yaml', 'parseAllDocuments'],
  ] as const)('puts %s beside the functions that load it, whole and loadable', (library, name) => {
    const folders = bundles.flatMap(({ libraries, folder }) => (libraries.includes(library) ? [folder] : []))
    expect(folders.length).toBeGreaterThan(0)
    for (const folder of folders)
      expect(statSync(path.join(folder, `${library}.js`)).size).toBeLessThan(LIBRARY_MAX_BYTES)
    const script = `console.log(typeof require('${folders[0]}/${library}.js').${name})`
    expect(execFileSync(process.execPath, ['-e', script], { env: {} }).toString()).toBe('function\n')
  })

  it.each(['table', 'event-reconciler', 'event-renewals'])(
    'gives %s no client for keys, no way into clusters, and of drivers only what they say',
    (name) => {
      const acting =
        /client-kms|ipaddr|kubernetes\/(connect|transport)\.ts|drivers\/(registry|support|.*\/(index|phases))/
      expect(bundleOf(name).inputs.filter((input) => acting.test(input))).toEqual([])
    },
  )

  it('leaves out what only the OpenAPI document needs', () => {
    const documenting = bundles.filter(({ inputs }) =>
      inputs.some((input) => /\.answer\.schema\.ts$|api\/openapi\//.test(input)),
    )
    expect(documenting.map(({ name }) => name)).toEqual([])
  })

  it('puts policies beside the functions that decide by them, and no others', () => {
    const deciding = bundles.filter(({ folder }) => existsSync(path.join(folder, 'policy/magnum.cedar')))
    expect(deciding.map(({ name }) => name)).toEqual(['table', 'keys', 'event-stream'])
    const withCedar = bundles.filter(({ inputs }) => inputs.some((input) => input.includes('@cedar-policy')))
    expect(withCedar.map(({ name }) => name)).toEqual(['table', 'keys', 'event-stream'])
  })

  it('puts the files of drivers beside the functions that hand them out, and no others', () => {
    const having = bundles.filter(({ folder }) => ASSETS.every((name) => existsSync(path.join(folder, 'assets', name))))
    expect(having.map(({ name }) => name)).toEqual(['keys', 'step', 'event-health-sweep'])
    expect(bundles.filter(({ folder }) => existsSync(path.join(folder, 'assets')))).toEqual(having)
  })

  it('puts the client that forwards ports beside all functions with a way into clusters, and no others', () => {
    expect(bundles.filter(({ inputs }) => inputs.some((input) => input.includes('node_modules/ws/')))).toEqual([])
    const forwarding = bundles.filter(({ libraries }) => libraries.includes('ws')).map(({ name }) => name)
    const into = bundles
      .filter(({ inputs }) => inputs.includes('functions/kubernetes/connect.ts'))
      .map(({ name }) => name)
    expect(forwarding).toEqual(into)
    expect(forwarding).toEqual(expect.arrayContaining(['keys', 'step', 'event-health-sweep']))
    expect(forwarding).not.toContain('table')
  })

  it('gives the library that signs certificates to functions that have drivers at work, and never to the table function', () => {
    expect(bundles.filter(({ inputs }) => inputs.some((input) => input.includes('@peculiar/')))).toEqual([])
    const names = bundles.filter(({ libraries }) => libraries.includes('x509')).map(({ name }) => name)
    const mayHave = (name: string): boolean => ['step', 'keys', 'event-health-sweep'].includes(name)
    expect(names).toContain('keys')
    expect(names.filter((name) => !mayHave(name))).toEqual([])
  })

  it('leaves the Kubernetes client library out', () => {
    const heavy = bundles.filter(({ inputs }) => inputs.some((input) => input.includes('@kubernetes/client-node')))
    expect(heavy.map(({ name }) => name)).toEqual([])
  })
})

describe('the table function, bundled', () => {
  const MARKER = 'marker-secret'
  let table: TestTable
  let served: Awaited<ReturnType<typeof serveOverHttp>>
  let answers: { statusCode: number; headers: Record<string, string>; body: string }[]
  let withOwnPolicies: typeof answers
  let log: string

  beforeAll(async () => {
    table = await createTestTable()
    served = await serveOverHttp(table.connection)
    const env = {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: served.endpoint,
      TABLE_NAME: table.tableName,
      STATE_MACHINE_ARN_PREFIX: 'arn:aws:states:eu-central-1:111122223333:stateMachine:fedplane-',
      PUBLIC_URL: 'https://fedplane.example.org',
    }
    const invoked = await invokeBundle(path.join(bundleOf('table').folder, 'index.js'), env, [
      eventOf('GET', '/v1/clusters'),
      eventOf('GET', '/v1/clusters', { as: 'No identity provider is configured.' }),
      eventOf('PUT', '/v1/clusters'),
      eventOf('POST', '/v1/clusters/', { body: { name: 'x', kubeconfig: MARKER } }),
    ])
    answers = invoked.answers as typeof answers
    log = invoked.log
    const policies = path.join(bundleOf('table').folder, 'policies')
    mkdirSync(policies)
    writeFileSync(path.join(policies, 'a.cedar'), 'forbid (principal, action == Action::"cluster:get_all", resource);')
    const refused = await invokeBundle(path.join(bundleOf('table').folder, 'index.js'), env, [
      eventOf('GET', '/v1/clusters'),
      eventOf('GET', '/v1/quotas/blue/Cluster'),
    ])
    withOwnPolicies = refused.answers as typeof answers
  })

  afterAll(async () => {
    await served.close()
    await table.dispose()
  })

  it('answers from the table with the credentials of its environment', () => {
    expect(answers[0]).toMatchObject({ statusCode: 200, body: '{"clusters":[]}' })
  })

  it("answers 401 with the authorizer's reason", () => {
    expect(answers[1]).toMatchObject({ statusCode: 401 })
    expect(answers[1]?.body).toContain('No identity provider is configured.')
  })

  it('knows the routes that it does not serve', () => {
    expect(answers[2]?.statusCode).toBe(405)
    expect(JSON.stringify(answers[2])).toContain('POST')
    expect(answers[3]?.statusCode).toBe(404)
    expect(answers[3]?.body).toContain('without a trailing slash')
  })

  it("decides by the operator's policies beside it, and has the default quota", () => {
    expect(withOwnPolicies.map(({ statusCode }) => statusCode)).toEqual([403, 200])
    expect(JSON.parse(withOwnPolicies[1]?.body ?? '')).toMatchObject({ hard_limit: 20 })
  })

  it('logs each request as a line of JSON, without what was sent', () => {
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.filter((line) => line.message === 'request')).toHaveLength(answers.length)
    expect(log).not.toContain(MARKER)
  })
})

describe('the keys function, bundled', () => {
  it('loads its YAML parser when a kubeconfig comes, and says what is wrong with it', async () => {
    const env = {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      TABLE_NAME: 'none',
      STATE_MACHINE_ARN_PREFIX: 'arn:aws:states:eu-central-1:111122223333:stateMachine:fedplane-',
      PUBLIC_URL: 'https://fedplane.example.org',
      KMS_KEY_ARN: 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    }
    const request = eventOf('POST', '/v1/clusters', { body: { name: 'x', kubeconfig: 'clusters: [}' } })
    const { answers } = await invokeBundle(path.join(bundleOf('keys').folder, 'index.js'), env, [request])
    expect(answers[0]).toMatchObject({ statusCode: 400, body: expect.stringMatching(/YAML/) })
  })
})

describe('KEYS_PATHS', () => {
  it('are the routes of the keys function', () => {
    const keys = ROUTES.flatMap((route) =>
      route.access === 'keys' ? [{ method: route.method, path: route.path, rule: route.rule }] : [],
    )
    expect(KEYS_PATHS).toEqual(keys)
  })
})

describe('the authorizer, bundled', () => {
  const SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:fedplane/keystone-a1B2c3'
  const cloud = new KeystoneStandIn()
  const issuer = new IssuerStandIn()
  let secrets: Loopback
  beforeAll(async () => {
    const credential = { application_credential_id: 'fedplane', application_credential_secret: SERVICE_SECRET }
    secrets = await startSecrets(new Map([[SECRET_ARN, JSON.stringify(credential)]]))
    await Promise.all([cloud.start(), issuer.start()])
    const expiresAt = new Date(Date.now() + 3_600_000)
    cloud.serviceExpiresAt = expiresAt
    cloud.tokens.set('token-of-ana', { expiresAt })
  })
  afterAll(async () => {
    await Promise.all([secrets.close(), cloud.close(), issuer.close()])
  })

  const environment = (): Record<string, string> => ({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    KEYSTONE_URL: cloud.url,
    KEYSTONE_SECRET_ARN: SECRET_ARN,
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: AUDIENCE,
  })

  const eventWith = (headers?: Record<string, string>) => ({ version: '2.0', type: 'REQUEST', headers })

  /** The contexts of its answers; each must allow. */
  const contextsOf = async (env: Record<string, string>, events: unknown[]): Promise<Record<string, string>[]> => {
    const { answers, log } = await invokeBundle(path.join(bundleOf('authorizer').folder, 'index.js'), env, events)
    expect(log).not.toMatch(/token-of-ana|service-token-|secret-that/)
    return answers.map((answer) => {
      const { isAuthorized, context } = answer as { isAuthorized: boolean; context: Record<string, string> }
      expect(isAuthorized).toBe(true)
      return context
    })
  }

  it('passes principals and reasons, always allows, and reads the credential from its secret', async () => {
    const jwt = await issuer.sign(issuer.claims(new Date()))
    const contexts = await contextsOf(environment(), [
      eventWith({ 'X-Auth-Token': 'token-of-ana' }),
      eventWith({ authorization: `Bearer ${jwt}` }),
      eventWith({ 'x-auth-token': 'other' }),
      eventWith({}),
      eventWith(),
    ])
    const principals = contexts.slice(0, 2).map(({ principal }) => JSON.parse(principal ?? ''))
    expect(principals.map(({ source, userId, projectId }) => [source, userId, projectId])).toEqual([
      ['keystone', 'ana', 'shop'],
      ['oidc', 'ana', 'shop'],
    ])
    for (const context of contexts.slice(2)) expect(context).toEqual({ reason: expect.any(String) })
  })

  it.each([
    ['its settings are wrong', { KEYSTONE_URL: 'nonsense' }],
    ['its secret is not there', { KEYSTONE_SECRET_ARN: SECRET_ARN.replace('a1B2c3', 'zzzzzz') }],
    ['Keystone is not there', { KEYSTONE_URL: 'http://127.0.0.1:1' }],
  ])('says that it can not find out when %s', async (_, changes) => {
    const contexts = await contextsOf({ ...environment(), ...changes }, [eventWith({ 'x-auth-token': 'token-of-ana' })])
    expect(contexts).toEqual([{ unavailable: expect.stringMatching(/try again later/) }])
  })
})
