import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { descendantsOf } from '../../support/local/fedplane-process.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Not among the temporary folders that must be empty at the end. */
const COMPILED = join(tmpdir(), 'node-compile-cache')

describe('npm run demo', { timeout: 60_000 }, () => {
  let temporary: string
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
  })
  afterEach(() => rmSync(temporary, { recursive: true, force: true }))

  /** As a user does, with temporary folders of its own. */
  const run = (args: readonly string[] = [], environment: Record<string, string> = {}) => {
    const child = spawn(process.execPath, ['--import', './local/check-node.mjs', 'local/demo/main.ts', ...args], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, TMPDIR: temporary, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let fault = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      fault += chunk
    })
    const ended = once(child, 'close').then(([code]) => code as number)
    return { child, ended, output: () => output, fault: () => fault }
  }

  it('cleans up and ends quietly when nobody reads its output any more', async () => {
    const demo = run()
    await expect.poll(demo.output, { timeout: 30_000 }).toContain('started fedplane')
    expect(descendantsOf(demo.child.pid!)).toEqual([])
    expect(readdirSync(temporary)).not.toEqual([])
    demo.child.stdout.destroy()
    expect(await demo.ended).toBe(141)
    expect(demo.fault()).toBe('')
    expect(readdirSync(temporary)).toEqual([])
  })

  it('says in one sentence why it can not begin, and leaves nothing', async () => {
    const missing = join(temporary, 'nope')
    const file = run(['--kubeconfig', missing])
    const assets = run([], { KUBEBUILDER_ASSETS: missing })
    expect([await file.ended, await assets.ended]).toEqual([1, 1])
    expect(file.fault()).toMatch(/^fedplane demo: The kubeconfig .*nope can't be read .*--kubeconfig.*\n$/)
    expect(assets.fault()).toMatch(/^fedplane demo: KUBEBUILDER_ASSETS .*nope.* no etcd and kube-apiserver.*\n$/)
    expect(file.output() + assets.output()).toBe('')
    expect(readdirSync(temporary)).toEqual([])
  })
})
