import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../functions/api/routes.ts'
import type { TokenFile } from '../../local/authorizer/token-file.schema.ts'
import { Receiver } from '../support/triggers.ts'
import { Traffic } from './clients/magnum-traffic.ts'
import { cleanEnvironment, pythonEnvironment } from './clients/python-environment.ts'
import { type Server, startServer } from './clients/server.ts'
import { makeThere, type There } from './openapi/there.ts'

/**
 * schemathesis makes requests from the OpenAPI document, right and wrong ones, and holds the answers against it. What is left out of its checks,
 * and why:
 *
 * - `positive_data_acceptance`: that a name is there, a text is a signing request or a driver makes nodes is in no schema.
 * - `negative_data_rejection`, `unsupported_method`, `allow_header_conformance`, `use_after_free`: `openapi/checks.py` has them with one exception each.
 * - `object_level_authorization`: needs users that schemathesis signs up; `test/contract/api/tenancy.test.ts` and the policy tests are about that.
 * - Stateful testing: its guesses rarely lead from one operation to the next here; requests are told what there is instead (`openapi/there.ts`).
 */

const FOLDER = path.join(import.meta.dirname, 'openapi')
const TOKENS: TokenFile = {
  root: { userId: 'root', projectId: 'ops', roles: ['admin', 'member', 'reader'] },
  buyer: { userId: 'buyer', projectId: 'shop', roles: ['member'] },
}
/** More than the run creates. */
const CLUSTERS = {
  FEDPLANE_CLUSTERS_PER_PROJECT: '1000000',
  FEDPLANE_FEDERATIONS_PER_PROJECT: '1000000',
  FEDPLANE_TEMPLATES_PER_PROJECT: '1000000',
  FEDPLANE_OPERATIONS_PER_PROJECT: '1000000',
  FEDPLANE_GRANTS_PER_PROJECT: '1000000',
}

type Har = { log: { entries: { request: { method: string; url: string }; response: { status: number } }[] } }
type Run = { code: number; output: string; entries: Har['log']['entries'] }

describe('the OpenAPI document of a running server', () => {
  let server: Server
  let receiver: Receiver
  let hookUrl: string
  let anything: Run
  let existing: Run

  /** In a process of one thread: Python 3.11's parser breaks when several threads use it. */
  const schemathesis = async (name: string, args: readonly string[], there?: There): Promise<Run> => {
    const { schemathesis: program } = await pythonEnvironment()
    const report = path.join(server.folder, `${name}.json`)
    const config = ['--config-file', path.join(FOLDER, 'schemathesis.toml'), '--no-color']
    const reports = ['--report', 'har', '--report-har-path', report]
    const env = { ...cleanEnvironment(), ...(there === undefined ? {} : { FEDPLANE_THERE: JSON.stringify(there) }) }
    const all = [...config, 'run', `${server.url}/v1/openapi.json`, ...reports, ...args]
    const { code, output } = await promisify(execFile)(program, all, { cwd: FOLDER, env, maxBuffer: 64 << 20 }).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        output: `${error.stdout}${error.stderr}`,
      }),
    )
    return { code, output, entries: (JSON.parse(readFileSync(report, 'utf8')) as Har).log.entries }
  }

  beforeAll(async () => {
    server = await startServer(TOKENS, CLUSTERS)
    receiver = await new Receiver().start()
    const [ops, shop] = ['root', 'buyer'].map((token) => new Traffic(server.url, { 'x-auth-token': token }))
    const there = await makeThere(ops!, { shop: shop!, receiver: receiver.url })
    hookUrl = there.hookUrl
    const runs = await Promise.all([
      schemathesis('anything', ['--phases', 'coverage,fuzzing', '--max-examples', '6']),
      schemathesis('existing', ['--phases', 'fuzzing', '--max-examples', '12'], there),
    ])
    anything = runs[0]
    existing = runs[1]
  }, 300_000)
  afterAll(async () => {
    await server?.close()
    await receiver?.close()
  })

  it('holds for requests of any kind', () => {
    expect(anything.code, anything.output).toBe(0)
    expect(anything.entries.length).toBeGreaterThan(2_000)
  })

  it('holds for requests about what there is', () => {
    expect(existing.code, existing.output).toBe(0)
  })

  /** Most literal paths first, as the server looks. */
  const operations = ROUTES.map(({ method, path: template }) => ({
    name: `${method} ${template}`,
    method,
    fits: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    parameters: template.split('{').length,
  })).sort((a, b) => a.parameters - b.parameters)

  const operationOf = ({ request }: Run['entries'][number]) => {
    const { pathname } = new URL(request.url)
    return operations.find(({ method, fits }) => method === request.method && fits.test(pathname))
  }

  it('is asked for everything that it has, with success', async () => {
    const answered = new Set(
      [...anything.entries, ...existing.entries]
        .filter(({ response }) => response.status >= 200 && response.status < 300)
        .map((entry) => operationOf(entry)?.name),
    )
    // Where schemathesis has the document from.
    answered.add('GET /v1/openapi.json')
    const { status } = await fetch(hookUrl, { method: 'POST' })
    if (status === 202) answered.add('POST /v1/hooks/{hook}')
    // Of a selector that is held: `test/contract/api/federations-selector.test.ts` has one.
    answered.add('POST /v1/federations/{federation}/actions/release-selector')
    // Of a cluster with a Kubernetes API: `registration.e2e.ts` has one.
    answered.add('POST /v1/clusters/{cluster}/kubeconfig')
    const missing = operations.map(({ name }) => name).filter((name) => !answered.has(name))
    const got = existing.entries.map((entry) => `${operationOf(entry)?.name} ${entry.response.status}`)
    expect(missing.map((name) => [name, got.filter((it) => it.startsWith(`${name} `))])).toEqual([])
  })

  it('leaves the server as it was: with nothing in its log', () => {
    expect(server.stderr()).toBe('')
  })
})
