import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Loopback, sendAnswer, startLoopback } from '../../support/authorizer/loopback.ts'
import { Traffic } from './magnum-traffic.ts'
import { type CommandResult, OpenStackCli } from './openstack-cli.ts'
import { type OscPlugin, oscPlugin } from './osc-plugin.ts'
import { cleanEnvironment, pythonEnvironment } from './python-environment.ts'
import { type Server, startServer } from './server.ts'

/** `openstack coe federation … --wait` of `clients/osc`: how it ends when not the server ends it, and servers that fail. */

const UUID = '00000000-0000-4000-8000-000000000001'

let plugin: OscPlugin
let server: Server
let api: Traffic

beforeAll(async () => {
  plugin = await oscPlugin()
  await plugin.install()
  server = await startServer(undefined, { FEDPLANE_FEDERATION_DRIVERS: 'memory@1' })
  api = new Traffic(server.url)
  await api.send({ method: 'POST', path: '/v1/clusters', body: { name: 'hub', driver: 'memory@1' } })
  await api.settled('/v1/clusters/hub')
})
afterAll(async () => {
  await server?.close()
  plugin?.close()
})

const login = (url: string) => ({ OS_AUTH_TYPE: 'none', OS_ENDPOINT: `${url}/v1` })

/** `openstack coe federation …` in a process of its own, as from a shell. `act` is called once when it waits for the control plane. */
const shell = async (
  args: string[],
  act: (interrupt: () => void) => void = () => undefined,
): Promise<CommandResult> => {
  const { openstack } = await pythonEnvironment()
  const env = { ...cleanEnvironment(), ...login(server.url), PYTHONUNBUFFERED: '1' }
  const child = spawn(plugin.python, [openstack, 'coe', 'federation', ...args], { env })
  const said = { stdout: '', stderr: '' }
  let waits = false
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk
      if (waits || !said.stderr.includes('waiting for the control plane')) return
      waits = true
      act(() => child.kill('SIGINT'))
    })
  }
  const [code] = await once(child, 'close')
  return { code, ...said }
}

describe('openstack coe federation --wait', () => {
  const slow = (name: string) => [
    ...['create', name, '--hostcluster', 'hub', '--wait'],
    ...['--property', 'memory-delay-seconds=600'],
  ]

  it('ends after --timeout, says how far it is and how to look again, and leaves the work alone', async () => {
    const result = await shell([...slow('late'), '--timeout', '1'])
    const { status, uuid } = await api.get<{ status: string; uuid: string }>('/v1/federations/late')
    expect([result.code, status]).toEqual([1, 'CREATE_IN_PROGRESS'])
    expect(result.stdout).toBe(`Request to create federation ${uuid} accepted\n`)
    expect(result.stderr.trimEnd().split('\n').at(-1)).toMatch(
      new RegExp(`^late is not done after 1 s: CREATE_IN_PROGRESS.*openstack coe federation show ${uuid}$`),
    )
  })

  it('ends at Ctrl-C with 130, says how to look again, and leaves the work alone', async () => {
    const result = await shell(slow('stopped'), (interrupt) => interrupt())
    const { status, uuid } = await api.get<{ status: string; uuid: string }>('/v1/federations/stopped')
    expect([result.code, status]).toEqual([130, 'CREATE_IN_PROGRESS'])
    expect(result.stderr).toMatch(/^stopped: CREATE_IN_PROGRESS: .*waiting for the control plane/m)
    expect(result.stderr).toMatch(new RegExp(`Stopped waiting\\..*openstack coe federation show ${uuid}\n$`))
    expect(result.stderr).not.toContain('Traceback')
  })

  it('says that it is gone when another one deletes it meanwhile', async () => {
    const deletion = { method: 'DELETE', path: '/v1/federations/deleted' }
    const result = await shell(slow('deleted'), () => void api.send(deletion))
    expect([result.code, result.stderr.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      'Federation deleted is gone: it was deleted meanwhile.',
    ])
  })
})

describe('openstack coe federation at a server that fails', () => {
  const FEDERATION = {
    uuid: UUID,
    name: 'fleet',
    hostcluster_id: 'hub',
    member_ids: [],
    properties: {},
    status: 'UPDATE_IN_PROGRESS',
    status_reason: null,
    members: [],
  }
  const found = (status: string): Answer => ({ status: 200, body: { ...FEDERATION, status } })
  const accepted: Answer = { status: 202, body: { uuid: UUID } }
  /** What API Gateway says in place of the function. */
  const gateway: Answer = { status: 503, body: { message: 'Service Unavailable' } }

  let gate: Loopback
  let coe: OpenStackCli
  /** The next answers; undefined cuts the connection. */
  let answers: (Answer | undefined)[] = []
  let asked: string[] = []

  beforeAll(async () => {
    gate = await startLoopback(async ({ method, url }, response) => {
      asked.push(`${method} ${url}`)
      const answer = answers.shift()
      if (answer === undefined) response.destroy()
      else sendAnswer(response, answer)
    })
    coe = await OpenStackCli.start(login(gate.url), plugin.python)
  })
  afterAll(async () => {
    await coe?.close()
    await gate?.close()
  })

  const run = (line: string, ...next: (Answer | undefined)[]): Promise<CommandResult> => {
    answers = next
    asked = []
    return coe.result(`federation ${line}`)
  }

  it('goes on waiting through a restart', async () => {
    const update = 'update fleet --property a=b --wait'
    const result = await run(
      update,
      accepted,
      gateway,
      undefined,
      found('UPDATE_IN_PROGRESS'),
      found('UPDATE_COMPLETE'),
    )
    expect([result.code, result.stdout]).toEqual([0, expect.stringMatching(/fleet is UPDATE_COMPLETE\.\n$/)])
    expect(result.stderr).toMatch(/^fleet: no answer \(.*\)\nfleet: no answer \(.*\)\nfleet: UPDATE_IN_PROGRESS\n$/)
    expect(asked).toEqual(['PATCH /v1/federations/fleet', ...Array(4).fill(`GET /v1/federations/${UUID}`)])
  })

  it('gives up at last, and says how to look again', async () => {
    answers = [accepted]
    const impatient = [
      'import sys, fedplane_osc.wait; from openstackclient.shell import main',
      'fedplane_osc.wait.NO_CONTACT_SECONDS = 0',
      'sys.exit(main(sys.argv[1:]))',
    ]
    const options = ['--os-auth-type', 'none', '--os-endpoint', `${gate.url}/v1`]
    const update = ['coe', 'federation', 'update', 'fleet', '--property', 'a=b', '--wait']
    await expect(plugin.run('-c', impatient.join('\n'), ...options, ...update)).rejects.toThrow(
      `--debug shows the cause. What became of fleet is not known; to look again: openstack coe federation show ${UUID}`,
    )
  })

  it('follows the uuid that it deletes, whatever has the name afterwards', async () => {
    const notFound = { status: 404, body: { errors: [{ status: 404, title: 'It could not be found.' }] } }
    const { code } = await run('delete fleet --wait', found('UPDATE_COMPLETE'), { status: 204, body: {} }, notFound)
    expect(code).toBe(0)
    const [first, ...rest] = asked
    expect(first).toBe('GET /v1/federations/fleet')
    expect(rest).toEqual([`DELETE /v1/federations/${UUID}`, `GET /v1/federations/${UUID}`])
  })

  it('says which deletion failed and why', async () => {
    const failed = { status: 200, body: { ...FEDERATION, status: 'DELETE_FAILED', status_reason: 'The host is away.' } }
    const result = await run('delete fleet --wait', found('UPDATE_COMPLETE'), { status: 204, body: {} }, failed)
    expect([result.code, result.stderr]).toEqual([1, 'Federation fleet is DELETE_FAILED: The host is away.\n'])
  })

  it('reads all pages, from the marker that it has, not from the address in "next"', async () => {
    const page = (name: string, next: object): Answer => ({
      status: 200,
      body: { federations: [{ ...FEDERATION, name }], ...next },
    })
    const result = await run(
      'list -f value -c name',
      page('a', { next: 'https://elsewhere/prefix/v1/x' }),
      page('b', {}),
    )
    expect([result.code, result.stdout]).toEqual([0, 'a\nb\n'])
    expect(asked).toEqual(['GET /v1/federations?limit=1000', `GET /v1/federations?marker=${UUID}&limit=1000`])
  })

  it.each<[string, Answer | undefined, RegExp]>([
    ['cuts the connection', undefined, /^http:\S+\/v1 does not answer\. Check that the server runs.*--debug/],
    ['answers as a gateway', gateway, /^http:\S+\/v1 answered with an error that is not of Magnum's form\. Check/],
    ['answers with something else', { status: 200, body: { hello: 'world' } }, /answered with something that is no/],
    ['answers with a list', { status: 200, body: [] }, /answered with something that is no federation/],
    ['is Magnum, and knows no federations', { status: 404, body: { errors: [{ title: 'Not Found' }] } }, /HTTP 404/],
    ['fails', { status: 500, body: { errors: [{ title: 'Its log has the cause.' }] } }, /^Its log has.*\(HTTP 500\)/],
  ])('says what to try when it %s', async (_, answer, message) => {
    for (const line of ['show fleet', 'list', 'create fleet --hostcluster hub', 'join fleet edge']) {
      const { code, stdout, stderr } = await run(line, answer)
      expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringMatching(message)]])
    }
  })

  it('shows no text that steers the terminal or makes a line of its own', async () => {
    const steers = '\u001b]0;x\u0007\u001b[31m\u009b2J\nforged'
    const hostile = {
      status: 200,
      body: {
        ...FEDERATION,
        status: 'UPDATE_COMPLETE',
        name: steers,
        status_reason: steers,
        properties: { [steers]: steers },
      },
    }
    const isSteered = (text: string): boolean =>
      ['\u001b', '\u009b', '\u0007', '\nforged'].some((it) => text.includes(it))
    const refused = { status: 400, body: { errors: [{ title: steers, detail: steers }] } }
    const ran = [
      await run('show fleet', hostile),
      await run('show fleet', refused),
      await run('update fleet --property a=b --wait', accepted, hostile),
    ]
    expect(ran.map(({ code, stdout, stderr }) => [code, isSteered(stdout), isSteered(stderr)])).toEqual([
      [0, false, false],
      [1, false, false],
      [0, false, false],
    ])
  })

  it('ends a list whose pages lead in a circle', async () => {
    const page: Answer = { status: 200, body: { federations: [FEDERATION], next: 'https://elsewhere/' } }
    const result = await run('list', page, page, page)
    expect([result.code, result.stdout, asked.length]).toEqual([1, '', 2])
  })

  it('says how to name a server when none is named', async () => {
    const lost = await OpenStackCli.start({ OS_AUTH_TYPE: 'none' }, plugin.python)
    const { code, stderr } = await lost.result('federation list')
    await lost.close()
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The address of container-infra.*--os-endpoint.*\n$/)])
  })

  it('says that nothing listens there', async () => {
    const nowhere = await startLoopback(async () => undefined)
    await nowhere.close()
    const lost = await OpenStackCli.start(login(nowhere.url), plugin.python)
    const { code, stderr } = await lost.result('federation show fleet')
    await lost.close()
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${nowhere.url}/v1 does not answer.`)])
  })
})
