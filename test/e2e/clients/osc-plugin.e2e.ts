import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KeystoneStandIn, SERVICE_SECRET } from '../../support/authorizer/keystone-stand-in.ts'
import { type Status, Traffic } from './magnum-traffic.ts'
import { type CommandResult, OpenStackCli } from './openstack-cli.ts'
import { filesIn, type OscPlugin, oscPlugin } from './osc-plugin.ts'
import { cleanEnvironment, pythonEnvironment } from './python-environment.ts'
import { type Server, startServer } from './server.ts'

/** `clients/osc` with the real clients: what federation-api.rst says of commands (REST API impact), and what the README there says. */

type Rows = Record<string, unknown>[]

const VERBS = ['create', 'delete', 'join', 'list', 'show', 'unjoin', 'update'].map((verb) => `federation ${verb}`)

let plugin: OscPlugin
let server: Server
let api: Traffic
let coe: OpenStackCli
/** What a uuid is replaced by, of the same length. */
const names = new Map<string, string>()

const addCluster = async (name: string, labels: Record<string, string> = {}): Promise<void> => {
  const { body } = await api.send<{ uuid: string }>({
    method: 'POST',
    path: '/v1/clusters',
    body: { name, driver: 'memory@1', labels },
  })
  names.set(body.uuid, `uuid-of-${name}`.padEnd(36, '-'))
  await api.settled(`/v1/clusters/${name}`)
}

/** With names in place of uuids. */
const named = (text: string): string => [...names].reduce((all, [uuid, name]) => all.replaceAll(uuid, name), text)

const table = (result: string): string[] => named(result).trimEnd().split('\n')

const outcome = ({ code, stdout, stderr }: CommandResult) => [code, named(stdout), named(stderr)]

beforeAll(async () => {
  server = await startServer(undefined, { FEDPLANE_FEDERATION_DRIVERS: 'memory@1,clusterprofile@1' })
  api = new Traffic(server.url)
  plugin = await oscPlugin()
  await plugin.install()
  coe = await OpenStackCli.start({ OS_AUTH_TYPE: 'none', OS_ENDPOINT: `${server.url}/v1` }, plugin.python)
  for (const name of ['hub', 'edge-1', 'edge-2', 'edge-3']) await addCluster(name)
  await addCluster('broken', { 'memory-fail-step': 'prepare' })
})
afterAll(async () => {
  await coe?.close()
  await server?.close()
  plugin?.close()
})

const federation = (name: string) =>
  api.get<Status & { uuid: string; member_ids: string[] } & Record<string, unknown>>(`/v1/federations/${name}`)

describe('the package', () => {
  it('adds seven commands to those of python-magnumclient, and changes none', () => {
    expect(coe.commands.filter((command) => command.startsWith('federation'))).toEqual(VERBS)
    expect(coe.commands).toContain('cluster list')
  })

  it('leaves nothing in the folder that it is installed from', () => {
    expect(filesIn(plugin.source)).toEqual(filesIn(path.resolve(import.meta.dirname, '../../../clients/osc')))
  })

  it('has the format, the lint and the types that its pyproject.toml asks for', async () => {
    const group = 'import tomllib; print(*tomllib.load(open("osc/pyproject.toml", "rb"))["dependency-groups"]["dev"])'
    const tools = (await plugin.run('-c', group)).split(' ')
    await plugin.run('-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...tools)
    expect(await plugin.run('-m', 'ruff', 'format', '--check', 'osc')).toMatch(/already formatted/)
    expect(await plugin.run('-m', 'ruff', 'check', 'osc')).toBe('All checks passed!')
    const config = ['--config-file', 'osc/pyproject.toml']
    expect(await plugin.run('-m', 'mypy', ...config, 'osc/fedplane_osc')).toMatch(/^Success/)
  })
})

describe('openstack coe federation, without authentication', () => {
  it('creates: accepted at once', async () => {
    const said = await coe.run('federation create myfederation --hostcluster hub --property dns=cluster.local')
    const { uuid } = await federation('myfederation')
    names.set(uuid, 'uuid-of-myfederation'.padEnd(36, '-'))
    expect(said).toBe(`Request to create federation ${uuid} accepted\n`)
    await api.settled('/v1/federations/myfederation')
  })

  it('joins two at once, and waits', async () => {
    const result = await coe.result('federation join myfederation edge-1 edge-2 --wait')
    expect([result.code, result.stdout]).toEqual([
      0,
      'Request to join edge-1, edge-2 to federation myfederation has been accepted.\n' +
        'Federation myfederation is UPDATE_COMPLETE, with edge-1, edge-2.\n',
    ])
  })

  it('lists with the columns of the specification', async () => {
    expect(table(await coe.run('federation list'))).toEqual([
      '+--------------------------------------+--------------+---------+-----------------+',
      '| uuid                                 | name         | members | status          |',
      '+--------------------------------------+--------------+---------+-----------------+',
      '| uuid-of-myfederation---------------- | myfederation |       2 | UPDATE_COMPLETE |',
      '+--------------------------------------+--------------+---------+-----------------+',
    ])
  })

  it('shows with the rows of the specification, and its sentence for a success', async () => {
    expect(table(await coe.run('federation show myfederation'))).toEqual([
      '+---------------+----------------------------------------------------------------------------------+',
      '| Property      | Value                                                                            |',
      '+---------------+----------------------------------------------------------------------------------+',
      '| uuid          | uuid-of-myfederation----------------                                             |',
      '| name          | myfederation                                                                     |',
      '| hostcluster   | uuid-of-hub-------------------------                                             |',
      "| members       | ['uuid-of-edge-1----------------------', 'uuid-of-edge-2----------------------'] |",
      '| project_id    | local                                                                            |',
      '| properties    | dns=cluster.local                                                                |',
      '| status        | UPDATE_COMPLETE                                                                  |',
      '| status_reason | Federation UPDATE completed successfully                                         |',
      '+---------------+----------------------------------------------------------------------------------+',
    ])
  })

  it('shows for programs what it is', async () => {
    const { uuid, member_ids: members, hostcluster_id: hostcluster } = await federation('myfederation')
    expect(await coe.json(`federation show ${uuid}`)).toEqual({
      uuid,
      name: 'myfederation',
      hostcluster,
      members,
      project_id: 'local',
      properties: { dns: 'cluster.local' },
      status: 'UPDATE_COMPLETE',
      status_reason: 'Federation UPDATE completed successfully',
    })
    expect(await coe.run('federation show myfederation -f value -c status -c name')).toBe(
      'myfederation\nUPDATE_COMPLETE\n',
    )
    expect(await coe.run('federation show myfederation -f yaml -c properties')).toBe(
      'properties:\n  dns: cluster.local\n',
    )
    expect(await coe.run('federation show myfederation -c name')).toMatch(/\| Property \| Value +\|/)
  })

  it('updates, adds and removes properties with keys of any form', async () => {
    const set = ['--property', 'dns=', '--property', 'a/b~c=1', '--property', 'k=x=y "z"', '--wait']
    const result = await coe.result('federation update myfederation', ...set)
    expect([result.code, result.stdout]).toEqual([
      0,
      'Request to update federation myfederation has been accepted.\nFederation myfederation is UPDATE_COMPLETE.\n',
    ])
    expect((await federation('myfederation')).properties).toEqual({ dns: '', 'a/b~c': '1', k: 'x=y "z"' })
    await coe.run('federation update --no-property a/b~c --no-property k --property dns=cluster.local myfederation')
    const { properties } = await api.settled('/v1/federations/myfederation')
    expect(properties).toEqual({ dns: 'cluster.local' })
  })

  it('unjoins by uuid, and waits', async () => {
    const { uuid } = await api.get<Status>('/v1/clusters/edge-1')
    const result = await coe.result(`federation unjoin myfederation ${uuid} --workloads delete --wait`)
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/is UPDATE_COMPLETE, without/) })
    expect((await federation('myfederation')).member_ids).toHaveLength(1)
  })

  it('creates with members, driver and properties', async () => {
    const options = '--hostcluster hub --member edge-1 --member edge-3 --driver memory@1 --property team=a --wait'
    expect(await coe.run(`federation create other ${options}`)).toMatch(/Federation other is CREATE_COMPLETE\.\n$/)
    const made = await federation('other')
    expect(made).toMatchObject({ driver: 'memory@1', properties: { team: 'a' } })
    expect(made.member_ids).toHaveLength(2)
    expect(await coe.json('federation show other')).toMatchObject({
      status_reason: 'Federation CREATE completed successfully',
    })
  })

  it('lists in pages and sorted, by the server and by the client', async () => {
    const sorted = await coe.json<Rows>('federation list --sort-key name --sort-dir desc')
    expect(sorted.map(({ name, members }) => [name, members])).toEqual([
      ['other', 2],
      ['myfederation', 1],
    ])
    const first = await coe.json<Rows>('federation list --limit 1 --sort-key name')
    expect(first).toMatchObject([{ name: 'myfederation' }])
    const rest = await coe.json<Rows>(`federation list --sort-key name --marker ${first[0]?.uuid}`)
    expect(rest).toMatchObject([{ name: 'other' }])
    const counted = 'federation list --sort-column members --sort-descending -f value -c name'
    expect(await coe.run(counted)).toBe('other\nmyfederation\n')
    expect(await coe.run('federation list -f csv --sort-column name -c name -c status')).toBe(
      '"name","status"\n"myfederation","UPDATE_COMPLETE"\n"other","CREATE_COMPLETE"\n',
    )
  })

  it('deletes several, and goes on after one that is not there', async () => {
    const { code, stdout, stderr } = await coe.result('federation delete other no-such myfederation --wait')
    expect(code).toBe(1)
    expect(stdout.split('\n')).toEqual([
      'Request to delete federation other has been accepted.',
      'Request to delete federation myfederation has been accepted.',
      'Federation other is deleted.',
      'Federation myfederation is deleted.',
      '',
    ])
    expect(stderr).toMatch(/"no-such" could not be found.*\(HTTP 404\)/)
    expect(stderr).toMatch(/1 of 3 federations failed to delete\.\n$/)
    expect(await coe.json('federation list')).toEqual([])
  })

  it('has run every verb, and its help has an example', async () => {
    expect([...coe.commandsRun].sort()).toEqual(VERBS)
    for (const verb of VERBS) expect(await coe.run(`${verb} --help`)).toContain(`Example: openstack coe ${verb}`)
  })

  it('does not stand in the way of the other commands', async () => {
    const rows = await coe.json<Rows>('cluster list --sort-key name')
    expect(rows.map(({ name }) => name)).toEqual(['broken', 'edge-1', 'edge-2', 'edge-3', 'hub'])
  })
})

describe('openstack coe federation, when something is wrong', () => {
  beforeAll(async () => {
    await coe.run('federation create fleet --hostcluster hub --member edge-1 --wait')
  })

  it('says which cluster did not join and why, of two at once', async () => {
    const [code, stdout, stderr] = outcome(await coe.result('federation join fleet edge-2 broken --wait'))
    expect([code, stdout]).toEqual([1, 'Request to join edge-2, broken to federation fleet has been accepted.\n'])
    expect(String(stderr).trimEnd().split('\n').at(-1)).toMatch(/^Cluster broken is JoinFailed: .*asked to fail/)
    expect(await coe.json('federation show fleet')).toMatchObject({ status: 'UPDATE_FAILED' })
  })

  it('does not blame a cluster that joins for another one that fails at the same time', async () => {
    const other = await OpenStackCli.start({ OS_AUTH_TYPE: 'none', OS_ENDPOINT: `${server.url}/v1` }, plugin.python)
    const results = await Promise.all([
      coe.result('federation join fleet edge-3 --wait'),
      other.result('federation join fleet broken --wait'),
    ])
    await other.close()
    expect(results.map(({ code }) => code)).toEqual([0, 1])
    await coe.run('federation unjoin fleet edge-3 --wait')
  })

  it('says why a create failed, and that one came up without a member', async () => {
    const failing = 'federation create lost --hostcluster hub --property memory-fail-phase=control-plane --wait'
    const lost = await coe.result(failing)
    expect([lost.code, lost.stderr]).toEqual([
      1,
      expect.stringMatching(/Federation lost is CREATE_FAILED: .*asked to fail at control-plane.*\n$/),
    ])
    const half = await coe.result('federation create half --hostcluster hub --member broken --wait')
    expect([half.code, half.stderr]).toEqual([
      1,
      expect.stringMatching(/half is CREATE_COMPLETE, but not with all members\. Cluster broken is JoinFailed/),
    ])
  })

  it('says with the status_reason why an update failed', async () => {
    const options = '--property memory-fail-phase=properties --wait'
    const { code, stderr } = await coe.result(`federation update fleet ${options}`)
    const { status, status_reason: reason } = await federation('fleet')
    expect([code, status]).toEqual([1, 'UPDATE_FAILED'])
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`Federation fleet is UPDATE_FAILED: ${reason}`)
  })

  it.each<[string, string[], number, RegExp]>([
    ['show no-such', [], 1, /"no-such" could not be found.*\(HTTP 404\).*openstack coe federation list/],
    ['show', ['a b?c#d%2e é'], 1, /could not be found/],
    ['show', ['../clusters'], 1, /"\.\.\/clusters" is no name or uuid of a federation/],
    ['show', [''], 1, /"" is no name or uuid of a federation/],
    ['create', ['1 bad', '--hostcluster', 'hub'], 1, /"name" must be text.*\(HTTP 400\)/],
    ['create x --hostcluster no-such', [], 1, /Cluster "no-such" could not be found/],
    ['create x --hostcluster hub --driver no@1', [], 1, /no federation driver 'no@1' here\. Choose one of/],
    ['create x', [], 2, /required: --hostcluster/],
    ['join fleet', [], 2, /required: <cluster>/],
    ['join fleet edge-3 no-such', [], 1, /Cluster "no-such" could not be found/],
    ['join fleet edge-3 edge-3', [], 1, /twice/],
    ['join fleet edge-3 --timeout 5', [], 1, /--timeout bounds the waiting/],
    ['join fleet edge-3 --wait --timeout 0', [], 2, /"0" is no whole number/],
    ['unjoin fleet hub', [], 1, /"hub" is no member/],
    ['update fleet', [], 1, /Nothing to change: give --property/],
    ['update fleet --property k', [], 2, /Expected 'key=value'/],
    ['update fleet --property k=v --no-property k', [], 1, /k is both set and removed/],
    ['update fleet --no-property no-such', [], 1, /has no such key/],
    ['update fleet', ['--property', 'k=\u001b[2J'], 1, /control characters/],
    ['list --limit -1', [], 2, /"-1" is no whole number|expected one argument/],
    ['list --sort-key no-such', [], 1, /"sort_key" "no-such" is unknown/],
    ['list --marker no-such', [], 1, /"marker" must be the UUID/],
    ['delete no-such', [], 1, /^Federation "no-such" could not be found/],
  ])('refuses %s %j', async (line, more, code, message) => {
    const before = await federation('fleet')
    const result = await coe.result(`federation ${line}`, ...more)
    expect([result.code, result.stdout]).toEqual([code, ''])
    expect(result.stderr).toMatch(message)
    // argparse prints the usage, too.
    if (code === 1) expect(result.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(await federation('fleet')).toEqual(before)
  })
})

describe('openstack coe federation, signed in', () => {
  const keystone = new KeystoneStandIn()
  let guarded: Server

  beforeAll(async () => {
    await keystone.start()
    keystone.serviceExpiresAt = new Date(Date.now() + 3_600_000)
    keystone.users.set('ana', { password: 'password of ana', projectId: 'shop', roles: ['member', 'reader'] })
    guarded = await startServer(
      { secret: { userId: 'ben', projectId: 'shop', roles: ['member', 'reader'] } },
      {
        FEDPLANE_FEDERATION_DRIVERS: 'memory@1',
        FEDPLANE_KEYSTONE_URL: `${keystone.url}/v3`,
        FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_ID: 'fedplane',
        FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_SECRET: SERVICE_SECRET,
      },
    )
    keystone.magnumUrl = `${guarded.url}/v1`
    const shop = new Traffic(guarded.url, { 'x-auth-token': 'secret' })
    for (const name of ['hub', 'edge']) {
      await shop.send({ method: 'POST', path: '/v1/clusters', body: { name, driver: 'memory@1' } })
      await shop.settled(`/v1/clusters/${name}`)
    }
  })
  afterAll(async () => {
    await guarded?.close()
    await keystone.close()
  })

  const byToken = (token: string) => ({
    OS_AUTH_TYPE: 'admin_token',
    OS_TOKEN: token,
    OS_ENDPOINT: `${guarded.url}/v1`,
  })
  const byPassword = (password: string) => ({
    OS_AUTH_TYPE: 'password',
    OS_AUTH_URL: `${keystone.url}/v3`,
    OS_USERNAME: 'ana',
    OS_PASSWORD: password,
    OS_PROJECT_NAME: 'Shop',
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
  })

  it.each([
    ['admin_token', () => byToken('secret')],
    ['password', () => byPassword('password of ana')],
  ])('runs every verb with %s', async (_, environment) => {
    const openstack = await OpenStackCli.start(environment(), plugin.python)
    try {
      await openstack.run('federation create fleet --hostcluster hub --wait')
      await openstack.run('federation join fleet edge --wait')
      await openstack.run('federation update --property a=b fleet --wait')
      expect(await openstack.json('federation show fleet')).toMatchObject({
        project_id: 'shop',
        properties: { a: 'b' },
      })
      await openstack.run('federation unjoin fleet edge --wait')
      expect(await openstack.json('federation list')).toMatchObject([{ name: 'fleet', members: 0 }])
      expect(await openstack.run('federation delete fleet --wait')).toMatch(/fleet is deleted\.\n$/)
      expect([...openstack.commandsRun].sort()).toEqual(VERBS)
    } finally {
      await openstack.close()
    }
  })

  it.each([
    ['a token that nobody gave', () => byToken('wrong'), /^(?!Unauthorized).*[Tt]oken.*\(HTTP 401\)\n$/],
    ['a wrong password', () => byPassword('wrong'), /requires authentication/],
  ])('says why %s is refused', async (_, environment, message) => {
    const openstack = await OpenStackCli.start(environment(), plugin.python)
    const result = await openstack.result('federation list')
    await openstack.close()
    expect([result.code, result.stdout]).toEqual([1, ''])
    expect(result.stderr).toMatch(message)
  })
})

describe('the plugin beside other releases, and taken away', () => {
  const program = async (...args: string[]): Promise<string> => {
    const { openstack, olderClient } = await pythonEnvironment()
    const login = { OS_AUTH_TYPE: 'none', OS_ENDPOINT: `${server.url}/v1`, PYTHONPATH: olderClient }
    const env = { ...cleanEnvironment(), ...login }
    return execFileSync(plugin.python, [openstack, ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  }

  it('works with the program itself, and with an older python-magnumclient', async () => {
    const said = await program('coe', 'federation', 'show', 'fleet', '-f', 'json')
    expect(JSON.parse(said)).toMatchObject({ name: 'fleet' })
  })

  it('names itself in pip as the folder does', async () => {
    const version = /^version = "(.*)"$/m.exec(readFileSync(path.join(plugin.source, 'pyproject.toml'), 'utf8'))?.[1]
    expect(await plugin.run('-m', 'pip', 'show', 'fedplane-osc')).toContain(`Version: ${version}`)
  })

  it('is uninstalled without a trace', async () => {
    await plugin.run('-m', 'pip', 'uninstall', '--quiet', '--yes', 'fedplane-osc')
    expect(filesIn(plugin.packages).filter((file) => file.includes('fedplane'))).toEqual([])
    const left = await program('coe', '--help')
    expect(left).not.toContain('federation')
  })
})
