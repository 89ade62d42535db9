import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { finish, Installed, newcomer, startInstalledServer } from '../support/cli/installed.ts'

const ROOT = path.join(import.meta.dirname, '../..')

let installed: Installed
beforeAll(async () => {
  installed = await Installed.pack()
  await installed.install()
})
afterAll(() => installed?.close())

describe('the package', () => {
  it('holds no TypeScript, no path of this machine, and nothing that its manifest does not name', () => {
    const files = readdirSync(installed.root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      statSync(path.join(installed.root, file)).isFile(),
    )
    expect(files.filter((file) => /\.[cm]?tsx?$/.test(file))).toEqual([])
    const named = ['package.json', 'README.md', ...manifest.files]
    expect(files.filter((file) => !named.some((name) => file === name || file.startsWith(`${name}/`)))).toEqual([])
    // A home such as `/root` is no path of a machine but of all.
    const own = [ROOT, homedir()].filter((place) => place.split('/').length > 2)
    const naming = files.filter((file) => {
      const text = readFileSync(path.join(installed.root, file), 'latin1')
      return own.some((place) => text.includes(place))
    })
    expect(naming).toEqual([])
  })

  it('says its version and its verbs, and keeps nothing in the home', async () => {
    expect(await installed.run('--version')).toEqual({ code: 0, stdout: `fedplane ${manifest.version}\n`, stderr: '' })
    expect(await installed.run('--help')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: fedplane/) })
    expect(await installed.run('server --help')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: fedplane server/),
      stderr: '',
    })
    expect(readdirSync(installed.home).filter((name) => name !== '.npm')).toEqual([])
  })
})

/** `forbid` beats every `permit`, an administrator's too. */
const POLICY = `forbid (principal, action in Action::"delete", resource);\n`

describe('fedplane server of the package', () => {
  it('serves the installed command line, and ends when it is asked to', async () => {
    const policies = path.join(installed.folder, 'own.cedar')
    writeFileSync(policies, POLICY)
    const { child, url, ended } = await startInstalledServer(installed, [], { FEDPLANE_POLICIES: policies })
    const simulated = await startSimulatedKubernetes({ name: 'real' })
    const done = async (line: string, input?: string): Promise<string> => {
      const ran = await installed.run(line, { env: { FEDPLANE_SERVER: url }, ...(input ? { input } : {}) })
      expect(ran.code, `${line}: ${ran.stderr}`).toBe(0)
      return ran.stdout
    }
    try {
      await done('template create small --driver memory@1 --image none')
      for (const name of ['hub', 'edge']) await done(`cluster create ${name} --template small`)
      expect(await done('federation create fleet --driver memory@1 --host hub --member edge')).toBe(
        'federation/fleet created\n',
      )
      expect(await done('federation show fleet -o jsonpath={.members[*].state}')).toBe('Ready')
      // A key and a request are made by a library that is read for this verb alone.
      expect(await done('cluster kubeconfig hub')).toContain('client-key-data')
      // What clusters answer is read by the thread, whose script is a file of its own.
      expect(await done('cluster import --kubeconfig - --name real', simulated.kubeconfig)).toBe(
        'cluster/real registered\n',
      )
      const refused = await installed.run('cluster delete real --yes', { env: { FEDPLANE_SERVER: url } })
      expect(refused).toMatchObject({ code: 4, stdout: '' })
      const document = await (await fetch(`${url}/v1/openapi.json`)).json()
      expect(document).toMatchObject({ openapi: expect.any(String), servers: [{ url: expect.stringContaining(url) }] })
    } finally {
      child.kill('SIGTERM')
      await simulated.close()
    }
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })
})

/** A Node.js that says that it is 20, and whose `node:module` lacks what came after it. */
const OLDER = `import { registerHooks } from 'node:module'
Object.defineProperty(process.versions, 'node', { value: '20.20.2' })
const older = 'data:text/javascript,' + encodeURIComponent("export { createRequire, isBuiltin } from 'node:module'")
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:module' && context.parentURL?.endsWith('/fedplane.mjs')
      ? { url: older, shortCircuit: true }
      : next(specifier, context),
})
`

describe('an older Node.js', () => {
  let older: string[]
  const beside = () => path.join(installed.place, `node_modules/node-${process.platform}-${process.arch}`)
  beforeAll(() => {
    const script = path.join(installed.folder, 'older.mjs')
    writeFileSync(script, OLDER)
    older = ['--import', script, installed.program]
  })
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [...older, ...args], { cwd: installed.place, env: newcomer(installed.home) })
  const withNodeBeside = () => {
    mkdirSync(path.join(beside(), 'bin'), { recursive: true })
    writeFileSync(path.join(beside(), 'package.json'), '{"version": "24.0.0"}')
    symlinkSync(process.execPath, path.join(beside(), 'bin/node'))
    return () => rmSync(beside(), { recursive: true })
  }

  it('says which one is needed where npm brought none', async () => {
    expect(await finish(start(['--version']))).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^fedplane needs Node\.js 24 or later, and this is 20\.20\.2\..*install/s),
    })
  })

  it('starts the one that npm brought, and passes on its output and exit code', async () => {
    const remove = withNodeBeside()
    try {
      expect(await finish(start(['--version']))).toMatchObject({ code: 0, stdout: `fedplane ${manifest.version}\n` })
      expect(await finish(start(['federation', 'show']))).toMatchObject({ code: 2, stdout: '' })
    } finally {
      remove()
    }
  })

  it('ends the server with it', async () => {
    const remove = withNodeBeside()
    const child = start(['server', '--port', '0', '--data-dir', path.join(installed.folder, 'older')])
    try {
      const ended = finish(child)
      const listening = new Promise((resolve) => {
        child.stdout.on('data', (text: string) => text.includes('listening') && resolve('listens'))
      })
      expect(await Promise.race([listening, ended])).toBe('listens')
      child.kill('SIGTERM')
      // The output is closed by the last process that writes it.
      expect(await ended).toMatchObject({ code: 0, stderr: '' })
    } finally {
      remove()
    }
  })
})
