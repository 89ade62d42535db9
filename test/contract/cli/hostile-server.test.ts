import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CommandLine } from '../../support/cli/command-line.ts'

/** A server that is none of fedplane, broken, or an attacker's. */

const TOKEN = 'token-that-must-not-be-seen'
const ID = '0198c3a0-8a2e-7c51-9c53-1f5f3c0a7e11'
/** A title for the window, a colour, a C1 control and a line of its own. */
const STEERS = '\u001b]0;x\u0007\u001b[31m\u009b2J\nforged: line'
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for.
const IS_STEERED = /[\u001b\u009b\u0007]|^forged/m

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown
let answer: Answer
let asked: string[]
let server: Server
let url: string
let cli: CommandLine
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})
beforeEach(() => {
  asked = []
  cli = new CommandLine({ FEDPLANE_SERVER: url, FEDPLANE_TOKEN: TOKEN })
})
afterEach(() => cli.close())

const json =
  (body: unknown, status = 200): Answer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const evil = (more: object = {}) => ({
  uuid: ID,
  name: `fleet${STEERS}`,
  status: 'CREATE_COMPLETE',
  status_reason: STEERS,
  hostcluster_id: ID,
  members: [{ cluster_id: ID, name: `m${STEERS}`, state: 'Ready', reason: null, message: STEERS, since: 'never' }],
  properties: { [STEERS]: STEERS },
  project_id: 'p',
  driver: 'memory@1',
  endpoint: null,
  conditions: [{ type: STEERS, status: STEERS, reason: STEERS, message: STEERS }],
  created_at: '2026-01-01T00:00:00Z',
  cluster_template_id: ID,
  node_count: 1,
  master_count: 1,
  labels: { [STEERS]: STEERS },
  health_status: STEERS,
  health_status_reason: { [STEERS]: STEERS },
  coe_version: STEERS,
  api_address: 'https://127.0.0.1:1',
  federations: [],
  ...more,
})

const LINES = [
  'federation list',
  'federation show fleet',
  'federation members fleet',
  'federation events fleet',
  'federation watch fleet',
  'federation create fleet --host hub --timeout 1',
  'federation create fleet --host hub --dry-run',
  'federation join fleet edge --timeout 1',
  'federation delete fleet --yes --timeout 1',
  'federation kubeconfig fleet',
  'cluster list',
  'cluster show hub',
  'cluster health hub',
  'cluster create hub --template small --timeout 1',
  'cluster delete hub --yes --timeout 1',
  'cluster kubeconfig hub',
  'driver show memory@1',
  'template list',
  `credential ${ID}`,
  'init fleet --host hub --timeout 1',
]

describe('an answer that is none of fedplane', () => {
  it.each<[string, Answer]>([
    ['HTML', (_request, response) => response.end(`<html>${STEERS}`)],
    ['null', json(null)],
    ['a number', json(5)],
    ['a list', json([])],
    ['an empty object', json({})],
    [
      'items of something else',
      json({ federations: [null], clusters: [{}], members: [5], events: [[]], clustertemplates: ['x'] }),
    ],
    ['an error that is no text', json({ message: { a: 1 }, errors: 5 }, 500)],
  ])('is said to be that: %s', async (_what, given) => {
    answer = given
    for (const line of LINES) {
      const { code, stdout, stderr } = await cli.run(line)
      expect([line, code, stdout]).toEqual([line, 1, ''])
      expect(stderr).toMatch(/no answer of fedplane|issued no kubeconfig/)
      expect(stderr).not.toMatch(/unexpected|undefined|\[object/)
    }
  })

  it('ends a list whose pages lead in a circle, or to nowhere', async () => {
    for (const next of [`${url}/v1/federations?marker=a`, 'http://[x']) {
      answer = json({ federations: [], next })
      expect(await cli.run('federation list')).toMatchObject({ code: 1, stdout: '' })
    }
    expect(asked.length).toBeLessThan(5)
  })

  it('takes the token to no other server', async () => {
    const elsewhere: (string | undefined)[] = []
    const other = createServer((request, response) => {
      elsewhere.push(request.url)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const there = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    answer = (_request, response) => response.writeHead(307, { location: `${there}/v1/federations` }).end()
    expect(await cli.run('federation list')).toMatchObject({ code: 1 })
    answer = (request, response) =>
      json(request.url?.includes('marker') ? { federations: [] } : { federations: [], next: `${there}/?marker=a` })(
        request,
        response,
      )
    expect(await cli.run('federation list')).toMatchObject({ code: 0 })
    other.close()
    expect(elsewhere).toEqual([])
  })
})

describe('text of a server', () => {
  const everything: Answer = (request, response) =>
    json(
      /detail|members|events/.test(request.url ?? '')
        ? { federations: [evil()], clusters: [evil()], members: evil().members, events: [] }
        : evil({ would_succeed: false, findings: [{ severity: 'error', reason: STEERS, message: STEERS }] }),
    )(request, response)

  it.each([...LINES, 'federation list -o name', 'cluster list -o wide'])('steers no terminal: %s', async (line) => {
    answer = everything
    const { stdout, stderr } = await cli.run(line)
    expect(stdout).not.toMatch(IS_STEERED)
    expect(stderr).not.toMatch(IS_STEERED)
    expect(stderr).not.toMatch(/unexpected/)
    answer = json({ errors: [{ detail: STEERS.repeat(100_000) }] }, 400)
    const refused = await cli.run(line)
    expect(refused.stderr).not.toMatch(IS_STEERED)
    expect(refused.stderr.length).toBeLessThan(10_000)
  })
})

describe('a kubeconfig of a server', () => {
  const issued = (user: object, cluster: object = {}): Answer =>
    json({
      ...evil({ name: 'fleet' }),
      kubeconfig: JSON.stringify({
        clusters: [{ cluster: { server: 'https://fleet', ...cluster } }],
        users: [{ user }],
      }),
      expires_at: '2999-01-01T00:00:00Z',
    })

  it("brings no program, path or proxy into the person's own", async () => {
    answer = issued(
      { token: 'short', exec: { command: '/bin/false' }, tokenFile: '/etc/passwd' },
      { 'proxy-url': 'http://x' },
    )
    expect(await cli.run('federation kubeconfig fleet --merge --no-exec')).toMatchObject({ code: 0 })
    const text = readFileSync(path.join(cli.home, '.kube/config'), 'utf8')
    expect(text).toContain('token: short')
    expect(text).not.toMatch(/exec|tokenFile|proxy-url/)
  })

  it.each([
    ['no YAML', json({ kubeconfig: 'secret: [', expires_at: '2999-01-01T00:00:00Z' })],
    ['no time', json({ kubeconfig: '{}', expires_at: 'soon' })],
    ['a token that is no text', issued({ token: 5 })],
    ['two users', json({ kubeconfig: 'users: [{user: {}}, {user: {}}]', expires_at: '2999-01-01T00:00:00Z' })],
  ])('is refused, and not kept: %s', async (_what, given) => {
    answer = given
    const ran = await cli.run(`credential ${ID}`)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^fedplane: The server issued no kubeconfig.*\nTry: .*\n$/)
    expect(existsSync(path.join(cli.home, '.cache'))).toBe(false)
  })
})

describe('a command line that is wrong', () => {
  it('deletes nothing: --forget with --no-wait', async () => {
    answer = json(evil())
    expect(await cli.run('cluster delete hub --forget --no-wait --yes')).toMatchObject({ code: 2 })
    expect(asked).toEqual([])
  })

  it('asks for no path outside of clusters', async () => {
    answer = json({}, 404)
    expect(await cli.run('init fleet --host ..')).toMatchObject({ code: 1, stderr: 'fedplane: ".." is no name.\n' })
  })

  it('is reported the help of its own verb', async () => {
    expect((await cli.run('federation join')).stderr).toMatch(/Try: fedplane federation join --help\n$/)
  })
})
