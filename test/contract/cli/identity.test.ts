import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { type CatalogCloud, startCatalogCloud } from '../../support/cli/catalog-cloud.ts'
import { CommandLine } from '../../support/cli/command-line.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

/** Who calls which server: profiles, tokens, clouds. */

const TOKEN = 'token-that-must-not-be-seen'
/** Kubeconfigs of federations are for administrators. */
const holder = (userId: string) => ({ userId, projectId: 'shop', roles: ['admin', 'member', 'reader'] })

let fedplane: Fedplane
let cloud: CatalogCloud
let setUp: CommandLine
let cli: CommandLine
beforeAll(async () => {
  setUp = new CommandLine()
  const tokensFile = path.join(setUp.home, 'tokens.json')
  cloud = await startCatalogCloud(() => fedplane.url)
  writeFileSync(tokensFile, JSON.stringify({ [TOKEN]: holder('ana'), [cloud.token]: holder('ben') }), { mode: 0o600 })
  fedplane = await startFedplane({
    tokensFile,
    drivers: { enabledFederation: ['memory@1'], enabledCluster: ['memory@1'] },
    log: keptLog(),
  })
})
afterAll(async () => {
  await Promise.all([fedplane.close(), cloud.close()])
  setUp.close()
})
beforeEach(() => {
  cli = new CommandLine()
})
afterEach(() => cli.close())

const profiles = (): string => path.join(cli.home, '.config/fedplane/profiles.json')

const writeClouds = (clouds: object): void => {
  const folder = path.join(cli.home, '.config/openstack')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'clouds.yaml'), JSON.stringify({ clouds }))
}

const program = (script: string): string => {
  const file = path.join(cli.home, 'helper')
  writeFileSync(file, `#!${process.execPath}\n${script}\n`)
  chmodSync(file, 0o700)
  return file
}

describe('fedplane login', () => {
  it('keeps a token from standard input for its user only, and uses it from then on', async () => {
    const login = await cli.run(`login prod --server ${fedplane.url} --with-token`, { input: `${TOKEN}\n` })
    expect(login).toEqual({ code: 0, stdout: `profile/prod uses ${fedplane.url}\n`, stderr: '' })
    expect([statSync(profiles()).mode & 0o777, statSync(path.dirname(profiles())).mode & 0o777]).toEqual([0o600, 0o700])
    expect(await cli.run('cluster list')).toMatchObject({ code: 0 })
    expect((await cli.run('whoami')).stdout).toBe(
      `Server:    ${fedplane.url}\nFrom:      profile prod\nUser:      ana\nProject:   shop\nRoles:     admin, member, reader\nSource:    token-file\n`,
    )
  })

  it('keeps nothing that the server refuses', async () => {
    const { code, stderr } = await cli.run(`login prod --server ${fedplane.url} --with-token`, { input: 'wrong' })
    expect([code, existsSync(profiles())]).toEqual([4, false])
    expect(stderr).toMatch(/^fedplane: The token is not known\.\nTry: fedplane login\n$/)
    expect(await cli.run(`login prod --server http://127.0.0.1:1`)).toMatchObject({ code: 6 })
  })

  it('runs a program for a token each time, and shows none of its output', async () => {
    const helper = program(`console.log('${TOKEN}')`)
    expect((await cli.run(`login prod --server ${fedplane.url} --token-command ${helper} issue`)).code).toBe(0)
    expect(readFileSync(profiles(), 'utf8')).not.toContain(TOKEN)
    expect((await cli.run('cluster list')).code).toBe(0)
    program(`console.error('${TOKEN}'); process.exit(1)`)
    const failed = await cli.run('cluster list')
    expect(failed).toMatchObject({ code: 4, stderr: expect.stringMatching(/The token command .*helper failed\./) })
    expect(failed.stderr).not.toContain(TOKEN)
  })

  it('has several profiles, of which one is current, and takes one away', async () => {
    await cli.run(`login one --server ${fedplane.url} --with-token`, { input: TOKEN })
    await cli.run(`login two --server ${fedplane.url}/v1/ --with-token`, { input: TOKEN })
    expect((await cli.run('whoami')).stdout).toMatch(/profile two/)
    expect((await cli.run('whoami --profile one')).stdout).toMatch(/profile one/)
    expect((await cli.run('whoami', { env: { FEDPLANE_PROFILE: 'one' } })).stdout).toMatch(/profile one/)
    expect(await cli.run('logout two')).toMatchObject({ code: 0, stdout: 'profile/two removed\n' })
    expect(await cli.run('logout two')).toMatchObject({ code: 3 })
    expect(readFileSync(profiles(), 'utf8')).not.toContain('two')
  })

  it('reads no file of tokens that others may read, and none that it did not write', async () => {
    await cli.run(`login one --server ${fedplane.url} --with-token`, { input: TOKEN })
    chmodSync(profiles(), 0o644)
    expect(await cli.run('cluster list')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Other users may read .*\nTry: chmod 600/),
    })
    writeFileSync(profiles(), `{"profiles": {"x": {"tokn": "${TOKEN}"}}}`)
    chmodSync(profiles(), 0o600)
    const broken = await cli.run('cluster list')
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not what fedplane login writes/) })
    expect(broken.stderr).not.toContain(TOKEN)
  })
})

describe('a token of the environment', () => {
  it('is used with FEDPLANE_SERVER, and goes before the current profile', async () => {
    const env = { FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: fedplane.url }
    expect((await cli.run('cluster list', { env })).code).toBe(0)
    expect(await cli.run('cluster list', { env: { ...env, FEDPLANE_TOKEN: 'wrong' } })).toMatchObject({ code: 4 })
    expect(await cli.run('cluster list', { env: { FEDPLANE_SERVER: fedplane.url } })).toMatchObject({ code: 4 })
  })
})

describe('plain http', () => {
  /** An address of this machine that is none of loopback, as far as a name tells. */
  const elsewhere = () => fedplane.url.replace('127.0.0.1', '0.0.0.0')
  const WARNING = /^fedplane: warning: the token goes to http:\/\/0\.0\.0\.0:\d+ unencrypted, .*\nTry: https:\/\//

  it('to another machine is warned of once, before a token goes there, however it is chosen', async () => {
    const byEnvironment = { FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: elsewhere() }
    const { stderr } = await cli.run('cluster list', { env: byEnvironment })
    expect(stderr).toMatch(WARNING)
    expect(stderr.match(/warning:/g)).toHaveLength(1)
    expect(stderr).not.toContain(TOKEN)
    expect((await cli.run(`login prod --server ${elsewhere()} --with-token`, { input: TOKEN })).stderr).toMatch(WARNING)
    writeClouds({ lab: { auth_type: 'admin_token', auth: { endpoint: elsewhere(), token: TOKEN } } })
    expect((await cli.run('--os-cloud lab whoami')).stderr).toMatch(WARNING)
  })

  it('to a Keystone on another machine is warned of before the password goes there', async () => {
    const url = cloud.url.replace('127.0.0.1', '0.0.0.0')
    writeClouds({ lab: { auth: { auth_url: url, username: 'ben', password: cloud.password, project_name: 'shop' } } })
    const { stderr } = await cli.run('--os-cloud lab whoami')
    expect(stderr).toMatch(
      /^fedplane: warning: the credential of the cloud goes to http:\/\/0\.0\.0\.0:\d+ unencrypted/,
    )
    expect(stderr).not.toContain(cloud.password)
  })

  it.each<[string, () => Record<string, string>]>([
    ['without a token', () => ({ FEDPLANE_SERVER: elsewhere() })],
    ['to this machine', () => ({ FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: fedplane.url })],
    ['to localhost', () => ({ FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: 'http://localhost:1' })],
    ['to localhost by IPv6', () => ({ FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: 'http://[::1]:1' })],
    [
      'where the network is safe',
      () => ({ FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: elsewhere(), FEDPLANE_ALLOW_HTTP: 'true' }),
    ],
  ])('is no word worth %s', async (_what, env) => {
    expect((await cli.run('cluster list', { env: env() })).stderr).not.toContain('warning')
  })
})

describe('a cloud of OpenStack', () => {
  it.each<[string, () => object]>([
    ['a password', () => ({ username: 'ben', password: cloud.password, project_name: 'shop' })],
    [
      'an application credential',
      () => ({ application_credential_id: 'app', application_credential_secret: cloud.password }),
    ],
    ['a token', () => ({ token: cloud.token, project_id: 'shop' })],
  ])('is asked for a token with %s, and names the server', async (_what, auth) => {
    writeClouds({ lab: { auth: { auth_url: cloud.url, ...auth() }, region_name: 'north' } })
    expect((await cli.run('--os-cloud lab whoami')).stdout).toBe(
      `Server:    ${fedplane.url}\nFrom:      cloud lab\nUser:      ben\nProject:   shop\nRoles:     admin, member, reader\nSource:    token-file\n`,
    )
    expect((await cli.run('cluster list', { env: { OS_CLOUD: 'lab' } })).code).toBe(0)
  })

  it('is taken from OS_ variables as an openrc file sets them', async () => {
    const env = {
      OS_AUTH_URL: `${cloud.url}/v3`,
      OS_USERNAME: 'ben',
      OS_PASSWORD: cloud.password,
      OS_PROJECT_NAME: 'shop',
      OS_REGION_NAME: 'north',
    }
    expect((await cli.run('whoami', { env })).stdout).toMatch(/^From: +cloud of OS_AUTH_URL$/m)
  })

  it('needs no Keystone for the kinds none and admin_token', async () => {
    writeClouds({
      open: { auth_type: 'admin_token', auth: { endpoint: `${fedplane.url}/v1`, token: TOKEN } },
      none: { auth_type: 'none', auth: { endpoint: fedplane.url } },
    })
    expect((await cli.run('--os-cloud open cluster list')).code).toBe(0)
    expect((await cli.run('--os-cloud none cluster list')).code).toBe(4)
  })

  it.each<[string, object, number, RegExp]>([
    [
      'a wrong password',
      { username: 'ben', password: 'wrong-that-must-not-be-seen', project_name: 'shop' },
      4,
      /Keystone refuses the credential \(401\)/,
    ],
    ['no credential', {}, 2, /neither a password, a token nor an application credential/],
  ])('explains %s', async (_what, auth, code, stderr) => {
    writeClouds({ lab: { auth: { auth_url: cloud.url, ...auth }, region_name: 'north' } })
    const ran = await cli.run('--os-cloud lab cluster list')
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(stderr) })
    expect(ran.stderr).not.toContain('must-not-be-seen')
  })

  it('explains a cloud that is not there, a region without fedplane, verify: false, and a Keystone that is away', async () => {
    const auth = { auth_url: cloud.url, username: 'ben', password: cloud.password, project_name: 'shop' }
    writeClouds({
      lab: { auth, region_name: 'south' },
      loose: { auth, verify: false, region_name: 'north' },
      away: { auth: { ...auth, auth_url: 'http://127.0.0.1:1' } },
    })
    expect((await cli.run('--os-cloud none cluster list')).stderr).toMatch(
      /There is no cloud none in .*clouds\.yaml\.\nTry: One of lab, loose, away\./,
    )
    expect((await cli.run('--os-cloud lab cluster list')).stderr).toMatch(/has no container-infra endpoint/)
    expect((await cli.run('--os-cloud loose cluster list')).stderr).toMatch(/verify: false/)
    expect(await cli.run('--os-cloud away cluster list')).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/Keystone does not answer/),
    })
  })

  it('may be a profile', async () => {
    writeClouds({
      lab: {
        auth: { auth_url: cloud.url, username: 'ben', password: cloud.password, project_name: 'shop' },
        region_name: 'north',
      },
    })
    expect((await cli.run('login lab --os-cloud lab')).stdout).toBe(`profile/lab uses ${fedplane.url}\n`)
    expect((await cli.run('whoami')).stdout).toMatch(/^From: +profile lab, cloud lab$/m)
  })
})

describe('credentials of a federation', () => {
  beforeAll(async () => {
    const admin = new CommandLine({ FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: fedplane.url })
    for (const line of [
      'template create t --driver memory@1 --image none',
      'cluster create hub --template t',
      'federation create fleet --host hub',
    ]) {
      expect((await admin.run(line)).code).toBe(0)
    }
    admin.close()
  })

  it('renew themselves for kubectl, are kept for their user only, and asked for again only near their end', async () => {
    const env = { FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: fedplane.url }
    const uuid = (await cli.run('federation show fleet -o jsonpath={.uuid}', { env })).stdout
    expect((await cli.run('federation kubeconfig fleet --merge', { env })).code).toBe(0)
    const merged = readFileSync(path.join(cli.home, '.kube/config'), 'utf8')
    expect(merged).toMatch(/apiVersion: client\.authentication\.k8s\.io\/v1/)
    expect(merged).not.toContain(TOKEN)
    const first = JSON.parse((await cli.run(`credential ${uuid}`, { env })).stdout)
    expect(first).toMatchObject({
      kind: 'ExecCredential',
      status: { token: expect.any(String), expirationTimestamp: expect.stringMatching(/Z$/) },
    })
    expect(JSON.parse((await cli.run(`credential ${uuid}`, { env })).stdout)).toEqual(first)
    // Another caller gets no credential of the first.
    expect((await cli.run(`credential ${uuid}`, { env: { ...env, FEDPLANE_TOKEN: 'wrong' } })).code).toBe(4)
  })

  it('keep their role and namespace when they renew themselves', async () => {
    const env = { FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: fedplane.url }
    const uuid = (await cli.run('federation show fleet -o jsonpath={.uuid}', { env })).stdout
    const line = 'federation kubeconfig fleet --role editor --namespace shop --merge --context shop'
    expect((await cli.run(line, { env })).code).toBe(0)
    const { contexts, users } = parse(readFileSync(path.join(cli.home, '.kube/config'), 'utf8'))
    const named = (entry: { name: string }) => entry.name === 'shop'
    expect(contexts.find(named).context).toEqual({ cluster: 'shop', user: 'shop', namespace: 'shop' })
    const args: string[] = users.find(named).user.exec.args
    expect(args.join(' ')).toContain(`credential ${uuid} --role editor --namespace shop`)
    const token = async (more: string) =>
      JSON.parse((await cli.run(`credential ${uuid}${more}`, { env })).stdout).status.token
    expect(await token(' --role editor --namespace shop')).toContain('-editor-')
    expect(await token('')).toContain('-admin-')
  })

  it('are in the list of all that there are, with their rights and end', async () => {
    const env = { FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: fedplane.url }
    const all = await cli.run('credentials', { env })
    expect([all.code, all.stdout]).toEqual([
      0,
      expect.stringMatching(/^KIND +WHERE +CLUSTER +FEDERATION +FOR +RIGHTS +UNTIL/),
    ])
    expect(all.stdout).toMatch(/^kubeconfig +bearer +<none> +fleet +\S+ +editor of namespace shop +\d{4}-/m)
    const rows = all.stdout.split('\n').slice(1)
    const authorities = rows.filter((row) => row.startsWith('certificate-authority')).map((row) => row.split(/ {2,}/))
    expect(authorities.slice(0, 3).map(([kind, place, cluster]) => [kind, place, cluster])).toEqual(
      ['etcd', 'front-proxy', 'kubernetes'].map((type) => [`certificate-authority ${type}`, 'fedplane', 'hub']),
    )
    const again = await cli.run('credentials', { env })
    expect(again.stdout).toBe(all.stdout)
    expect(all.stdout).not.toContain('memory-token')
    const one = await cli.run('credentials --federation fleet -o json', { env })
    expect(
      new Set(JSON.parse(one.stdout).credentials.map((it: { federation_name: string }) => it.federation_name)),
    ).toEqual(new Set(['fleet']))
    expect((await cli.run('credentials --cluster nowhere', { env })).code).toBe(3)
  })

  it('are written to standard output, and end', async () => {
    const env = { FEDPLANE_TOKEN: TOKEN, FEDPLANE_SERVER: fedplane.url }
    const { code, stdout } = await cli.run('federation kubeconfig fleet --expires-in 10m', { env })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/current-context: fleet/)])
  })
})
