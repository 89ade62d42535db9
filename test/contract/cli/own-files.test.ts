import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { homeOf } from '../../../cli/files.ts'
import { mergeKubeconfig } from '../../../cli/kubeconfig/merge-kubeconfig.ts'
import { CommandLine } from '../../support/cli/command-line.ts'

/** What goes wrong with a person's own settings and files: one line says what, and no secret. */

const SECRET = 'secret-that-must-not-be-seen'

let server: Server
let url: string
let cli: CommandLine
beforeAll(async () => {
  server = createServer((_request, response) => response.end('{"clusters": []}')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  cli = new CommandLine()
})
afterEach(() => cli.close())

const folder = (): string => path.join(cli.home, '.config/fedplane')
const profiles = (): string => path.join(folder(), 'profiles.json')
const kept = () => JSON.parse(readFileSync(profiles(), 'utf8'))

describe('profiles', () => {
  it('stay behind the symbolic link that somebody made of the file', async () => {
    mkdirSync(folder(), { recursive: true })
    const real = path.join(cli.home, 'dotfiles.json')
    writeFileSync(real, '{"profiles": {}}', { mode: 0o600 })
    symlinkSync(real, profiles())
    expect(await cli.run(`login prod --server ${url}`)).toMatchObject({ code: 0 })
    expect(lstatSync(profiles()).isSymbolicLink()).toBe(true)
    expect([realpathSync(profiles()), kept().current]).toEqual([realpathSync(real), 'prod'])
  })

  it('are not lost when two log in at once', async () => {
    const names = ['a', 'b', 'c', 'd']
    const ran = await Promise.all(names.map((name) => cli.run(`login ${name} --server ${url}`)))
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(Object.keys(kept().profiles).sort()).toEqual(names)
    expect(readdirSync(folder())).toEqual(['profiles.json'])
  })

  it.each(['__proto__', '', 'a/b', 'a\u001b[31m', '-x'])('have no name like %j', async (name) => {
    expect(await cli.run(['login', '--server', url, '--', name])).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('Ctrl-C', () => {
  it('ends with 130 while a token command runs', async () => {
    const started = path.join(cli.home, 'started')
    const stop = new AbortController()
    const program = path.join(cli.home, 'helper.cjs')
    const script = `require('node:fs').writeFileSync('${started}', ''); setInterval(() => undefined, 1000)`
    writeFileSync(program, script)
    const words = ['login', 'prod', '--server', url, '--token-command', process.execPath, program]
    const ran = cli.run(words, { signal: stop.signal })
    await vi.waitUntil(() => existsSync(started), { timeout: 60_000 })
    stop.abort()
    expect(await ran).toMatchObject({ code: 130, stdout: '' })
  })
})

describe('an empty HOME', () => {
  it('makes no file in the folder of the moment', () => {
    const before = process.env.HOME
    process.env.HOME = ''
    try {
      expect(path.isAbsolute(homeOf({ HOME: '' }))).toBe(true)
    } finally {
      process.env.HOME = before
    }
  })
})

describe('settings', () => {
  it.each([
    ['an address with a password', { FEDPLANE_SERVER: `http://u:${SECRET}@127.0.0.1:1` }, 2, /a user, a password/],
    ['an address with a query', { FEDPLANE_SERVER: `http://127.0.0.1:1/?token=${SECRET}` }, 2, /a query/],
    [
      'a token of two lines',
      { FEDPLANE_SERVER: 'http://127.0.0.1:1', FEDPLANE_TOKEN: `${SECRET}\nb` },
      4,
      /The token has/,
    ],
    ['no address of Keystone', { OS_AUTH_URL: 'zzz', OS_USERNAME: 'a', OS_PASSWORD: SECRET }, 2, /auth_url/],
  ])('refuses %s', async (_what, env, code, says) => {
    const ran = await cli.run('cluster list', { env: { ...env, FEDPLANE_DEBUG: '1' } })
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).toMatch(says)
    expect(ran.stderr).not.toMatch(new RegExp(`${SECRET}|unexpected`))
  })

  it.each(['constructor', '__proto__', 'toString'])('knows no cloud %s that nobody wrote', async (name) => {
    const file = path.join(cli.home, 'clouds.yaml')
    writeFileSync(file, 'clouds: {lab: {}}')
    const ran = await cli.run(`cluster list --os-cloud ${name}`, { env: { OS_CLIENT_CONFIG_FILE: file } })
    expect([ran.code, ran.stderr]).toEqual([2, `fedplane: There is no cloud ${name} in ${file}.\nTry: One of lab.\n`])
  })

  it.each(['<html>', 'null', '{"token": {}}'])('says that %s is no Keystone', async (answer) => {
    const keystone = createServer((_request, response) => {
      response.writeHead(201, { 'x-subject-token': SECRET }).end(answer)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => keystone.once('listening', resolve))
    const address = `http://127.0.0.1:${(keystone.address() as AddressInfo).port}`
    const ran = await cli.run('cluster list', { env: { OS_AUTH_URL: address, OS_USERNAME: 'a', OS_PASSWORD: SECRET } })
    keystone.close()
    expect([ran.code, ran.stderr.split('\n')[0]]).toEqual([
      1,
      'fedplane: Keystone answered with something that is no token of Identity v3.',
    ])
  })
})

describe('a kubeconfig to merge into', () => {
  const addition = { name: 'fleet', cluster: { server: 'https://fleet' }, user: {} }

  it('stays as it is when its aliases make gigabytes of it', () => {
    const file = path.join(cli.home, 'bomb')
    const levels = [...Array(9).keys()].map((level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}]`)
    const text = ['l0: &l0 [x]', ...levels].join('\n')
    writeFileSync(file, text)
    expect(() => mergeKubeconfig({}, file, addition)).toThrow(/is no YAML, and stays as it is/)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('is no folder', () => {
    const file = path.join(cli.home, 'folder')
    mkdirSync(file)
    expect(() => mergeKubeconfig({}, file, addition)).toThrow(/can't be read \(EISDIR\)/)
  })
})
