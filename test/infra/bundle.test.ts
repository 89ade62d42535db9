import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS_PATHS } from '../../functions/api/keys-elsewhere.ts'
import { ROUTES } from '../../functions/api/routes.ts'
import { type Bundle, bundleFunctions, functionEntries, SIZE_MAX_BYTES } from '../../infra/bundle.ts'
import { eventOf } from '../support/api/request.ts'
import { invokeBundle } from '../support/infra-invoke.ts'
import { createTestTable, type TestTable } from '../support/store/database.ts'

let outdir: string
let bundles: Bundle[]

beforeAll(() => {
  outdir = mkdtempSync(path.join(tmpdir(), 'fedplane-dist-'))
  bundles = bundleFunctions(outdir)
}, 60_000)

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
    const script = `for (const file of ${JSON.stringify(files)}) console.log(typeof require(file).handler)`
    // No node_modules and no settings: as they lie in Lambda before the first event.
    const types = execFileSync(process.execPath, ['-e', script], { cwd: outdir, env: {} }).toString().trim()
    expect(types.split('\n')).toEqual(files.map(() => 'function'))
  })

  it('gives the table function no client for keys', () => {
    expect(bundleOf('table').inputs.filter((input) => input.includes('client-kms'))).toEqual([])
  })

  it('puts policies beside the functions that decide by them, and no others', () => {
    const deciding = bundles.filter(({ folder }) => existsSync(path.join(folder, 'policy/magnum.cedar')))
    expect(deciding.map(({ name }) => name)).toEqual(['table', 'keys'])
    const withCedar = bundles.filter(({ inputs }) => inputs.some((input) => input.includes('@cedar-policy')))
    expect(withCedar.map(({ name }) => name)).toEqual(['table', 'keys'])
  })

  it('leaves the Kubernetes client library out', () => {
    const heavy = bundles.filter(({ inputs }) => inputs.some((input) => input.includes('@kubernetes/client-node')))
    expect(heavy.map(({ name }) => name)).toEqual([])
  })
})

describe('the table function, bundled', () => {
  const MARKER = 'marker-secret'
  let table: TestTable
  let answers: { statusCode: number; headers: Record<string, string>; body: string }[]
  let withOwnPolicies: typeof answers
  let log: string

  beforeAll(async () => {
    table = await createTestTable()
    const env = {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
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

  afterAll(() => table.dispose())

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

describe('KEYS_PATHS', () => {
  it('are the routes of the keys function', () => {
    const keys = ROUTES.flatMap((route) =>
      route.access === 'keys' ? [{ method: route.method, path: route.path, rule: route.rule }] : [],
    )
    expect(KEYS_PATHS).toEqual(keys)
  })
})
