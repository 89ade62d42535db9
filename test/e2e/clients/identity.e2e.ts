import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../functions/identity/password.ts'
import { AUDIENCE, IssuerStandIn } from '../../support/authorizer/issuer-stand-in.ts'
import { type GoEvent, goTest } from './go-test.ts'
import { OpenStackCli } from './openstack-cli.ts'
import { type Server, startServer } from './server.ts'

/** Logins of real clients at the identity facade: they know of no fedplane, only of Keystone. */

const PASSWORD = 'correct horse battery staple'
const TESTS = [
  'TestApplicationCredential',
  'TestLoginAgain',
  'TestPassword',
  'TestProjects',
  'TestToken',
  'TestVersionInTheAddress',
  'TestWrongPassword',
]

const issuer = new IssuerStandIn()
let folder: string
let server: Server
let openrc: Record<string, string>

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-users-'))
  const file = path.join(folder, 'users.yaml')
  const projects = `[{name: shop, roles: [member, reader]}, {name: lab, roles: [reader]}]`
  const text = `users:\n  - name: ana\n    password: ${await hashPassword(PASSWORD)}\n    projects: ${projects}\n`
  writeFileSync(file, text, { mode: 0o600 })
  await issuer.start()
  const oidc = { FEDPLANE_OIDC_ISSUER: issuer.url, FEDPLANE_OIDC_AUDIENCE: AUDIENCE }
  server = await startServer(undefined, { FEDPLANE_USERS: file, ...oidc })
  openrc = {
    OS_AUTH_URL: `${server.url}/identity`,
    OS_USERNAME: 'ana',
    OS_PASSWORD: PASSWORD,
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_NAME: 'shop',
    OS_PROJECT_DOMAIN_NAME: 'Default',
    OS_REGION_NAME: 'RegionOne',
    OS_IDENTITY_API_VERSION: '3',
  }
}, 60_000)
afterAll(async () => {
  await server?.close()
  await issuer.close()
  rmSync(folder, { recursive: true })
})

describe('openstack', () => {
  let cli: OpenStackCli
  let more: OpenStackCli | undefined
  beforeAll(async () => {
    cli = await OpenStackCli.start(openrc)
  }, 300_000)
  afterAll(async () => {
    await Promise.all([cli?.close(), more?.close()])
  })

  it('logs in with a password, and finds fedplane in the catalog', async () => {
    expect(await cli.json<unknown[]>('cluster list')).toEqual([])
    const issued = await cli.openstack('token', 'issue', '-f', 'json')
    expect([issued.code, issued.stderr]).toEqual([0, ''])
    expect(JSON.parse(issued.stdout)).toMatchObject({ user_id: 'ana', project_id: 'shop' })
    const catalog = await cli.openstack('catalog', 'list', '-f', 'json')
    expect(catalog.stdout).toContain(`${server.url}/v1`)
  })

  it('lists projects, and revokes its token', async () => {
    const projects = await cli.openstack('project', 'list', '--my-projects', '-f', 'value', '-c', 'Name')
    expect([projects.code, projects.stderr, projects.stdout]).toEqual([0, '', 'shop\nlab\n'])
    const token = (await cli.openstack('token', 'issue', '-f', 'value', '-c', 'id')).stdout.trim()
    const revoked = await cli.openstack('token', 'revoke', token)
    expect([revoked.code, revoked.stderr]).toEqual([0, ''])
    const answer = await fetch(`${server.url}/v1/clusters`, { headers: { 'X-Auth-Token': token } })
    expect(answer.status).toBe(401)
  })

  it('says in words that a password is wrong', async () => {
    const { code, stderr } = await cli.openstack('--os-password', 'wrong', 'token', 'issue')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/requires authentication.*HTTP 401/)])
  })

  it('makes an application credential, logs in with it, and deletes it', async () => {
    const made = await cli.openstack('application', 'credential', 'create', 'ci', '--role', 'reader', '-f', 'json')
    expect([made.code, made.stderr]).toEqual([0, ''])
    const shown = JSON.parse(made.stdout) as Record<string, string>
    const { id = '', ID = id, secret = '', Secret = secret } = shown
    more = await OpenStackCli.start({
      OS_AUTH_URL: `${server.url}/identity/v3`,
      OS_AUTH_TYPE: 'v3applicationcredential',
      OS_APPLICATION_CREDENTIAL_ID: ID,
      OS_APPLICATION_CREDENTIAL_SECRET: Secret,
      OS_REGION_NAME: 'RegionOne',
    })
    expect(await more.json<unknown[]>('cluster list')).toEqual([])
    const list = await cli.openstack('application', 'credential', 'list', '-f', 'value', '-c', 'Name')
    expect([list.code, list.stdout]).toEqual([0, 'ci\n'])
    const refused = await more.openstack('application', 'credential', 'create', 'child')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/restricted application credential/)])
    const one = await cli.openstack('application', 'credential', 'show', 'ci', '-f', 'json')
    expect([one.code, one.stdout.includes(ID), one.stdout.includes(Secret)]).toEqual([0, true, false])
    const deleted = await cli.openstack('application', 'credential', 'delete', 'ci')
    expect([deleted.code, deleted.stderr]).toEqual([0, ''])
    expect((await more.result('cluster list')).code).toBe(1)
  })
})

describe('openstack with an identity provider', () => {
  it('exchanges a token of it for one of ours, and calls with that', async () => {
    const token = await issuer.sign({
      ...issuer.claims(new Date()),
      sub: 'olga',
      project_id: 'shop',
      roles: ['reader'],
    })
    const cli = await OpenStackCli.start({
      OS_AUTH_URL: `${server.url}/identity/v3`,
      OS_AUTH_TYPE: 'v3oidcaccesstoken',
      OS_IDENTITY_PROVIDER: 'oidc',
      OS_PROTOCOL: 'openid',
      OS_ACCESS_TOKEN: token,
      OS_PROJECT_ID: 'shop',
      OS_REGION_NAME: 'RegionOne',
    })
    try {
      expect(await cli.json<unknown[]>('cluster list')).toEqual([])
      const issued = await cli.openstack('token', 'issue', '-f', 'json')
      expect(JSON.parse(issued.stdout)).toMatchObject({ user_id: 'olga', project_id: 'shop' })
    } finally {
      await cli.close()
    }
  })
})

describe('gophercloud', () => {
  let events: GoEvent[]
  beforeAll(async () => {
    events = await goTest('./identity', openrc)
  }, 300_000)

  const outputOf = (test: string): string =>
    events.flatMap((event) => (event.Test === test && event.Output ? [event.Output] : [])).join('')

  it.each(TESTS)('%s', (test) => {
    const end = events.find((event) => event.Test === test && /^(pass|fail|skip)$/.test(event.Action))
    expect(end?.Action, outputOf(test)).toBe('pass')
  })

  it('has no test that is not checked here', () => {
    const run = new Set(events.flatMap(({ Test }) => (Test === undefined ? [] : [Test])))
    expect([...run].sort()).toEqual(TESTS)
  })
})
