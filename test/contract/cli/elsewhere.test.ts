import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { finish } from '../../support/cli/installed.ts'
import { type FedplaneProcess, runFedplane } from '../../support/local/fedplane-process.ts'

/** Server and command line where Linux's own helpers are hidden: no /proc, no programs in PATH but Node.js, and a folder for data behind a link. */

const HIDDEN = path.resolve(import.meta.dirname, '../../support/local/without-linux.mjs')
const CHECK = path.resolve(import.meta.dirname, '../../../local/check-node.mjs')
const MAIN = path.resolve(import.meta.dirname, '../../../cli/main.ts')
const elsewhere = { NODE_OPTIONS: `--import ${HIDDEN}`, PATH: path.dirname(process.execPath) }

let folder: string
let server: FedplaneProcess
let url: string
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-elsewhere-'))
  mkdirSync(path.join(folder, 'private/var'), { recursive: true })
  // As /tmp and /var are on a Mac.
  symlinkSync('private/var', path.join(folder, 'var'))
  server = runFedplane(['--port', '0', '--data-dir', path.join(folder, 'var/data')], elsewhere)
  url = await server.url()
})
afterAll(async () => {
  server?.child.kill('SIGKILL')
  await server?.ended
  rmSync(folder, { recursive: true, force: true })
})

const run = (line: string) =>
  finish(
    spawn(process.execPath, [MAIN, ...line.split(' ')], {
      env: { ...elsewhere, HOME: folder, FEDPLANE_SERVER: url },
    }),
  )
const done = async (line: string): Promise<string> => {
  const { code, stdout, stderr } = await run(line)
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
  return stdout
}

describe('an older Node.js', () => {
  it.each([
    ['linux', /^fedplane needs Node\.js 24 or later, and this is 20\.20\.2\. Run npm ci, then start it with npm /],
    ['darwin', /^fedplane needs Node\.js 24 or later, and this is 20\.20\.2\. npm brings one to Linux only: install /],
  ])('is reported on %s what to do', async (platform, words) => {
    const older = `Object.defineProperty(process, 'platform', { value: '${platform}' })
      Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`
    const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, '--import', CHECK, MAIN, '--help']
    const child = spawn(process.execPath, args, { env: { HOME: folder } })
    expect(await finish(child)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(words) })
  })
})

describe('a system that is not Linux', { concurrent: false }, () => {
  it('is served, and told that users of the machine are not distinguished', async () => {
    await done('template create small --driver memory@1 --image none')
    for (const name of ['hub', 'edge']) await done(`cluster create ${name} --template small`)
    expect(await done('federation create fleet --driver memory@1 --host hub --member edge')).toBe(
      'federation/fleet created\n',
    )
    expect(await done('cluster kubeconfig hub --merge')).toContain('context/hub added to')
    expect(await done('doctor')).toMatch(/^server .* ok /m)
    expect(server.stderr()).toContain('without tokens every user of the machine is admin')
  })

  it('ends in good order', async () => {
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  })
})
