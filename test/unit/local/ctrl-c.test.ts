import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/local/engine-lab.ts'

/** Ctrl-C reaches a program twice under npm: from the terminal, and from npm, which passes on what it got itself. */

const ROOT = path.resolve(import.meta.dirname, '../../..')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-test-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As a shell says it: a process that the second one meets when it has ended its own handling, on a busy machine, is ended by the signal. */
const statusOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + constants.signals[signal as NodeJS.Signals]

const start = (script: string, args: readonly string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code: statusOf(code, signal), output }))
  const seen = (text: string) => until(() => output.includes(text), 60_000)
  return { child, ended, seen, output: () => output }
}

/** As npm does it: apart, or the system would make one of both. */
const BETWEEN_MS = 30

const interruptTwice = async ({ child, ended }: ReturnType<typeof start>) => {
  child.kill('SIGINT')
  await delay(BETWEEN_MS)
  child.kill('SIGINT')
  return ended
}

describe('one Ctrl-C that comes twice', { timeout: 120_000 }, () => {
  it('lets the demo clean up', async () => {
    const demo = start('local/demo/main.ts', ['--keep'])
    await demo.seen('Look around')
    expect(await interruptTwice(demo)).toEqual({ code: 0, output: expect.stringContaining('Every check held.') })
  })

  it('ends the server in good order, and lets the command line say how to look again', async () => {
    const server = start('local/main.ts', ['--port', '0', '--data-dir', path.join(folder, 'data')])
    await server.seen('listening on')
    const [, url = ''] = /listening on (\S+)\/v1/.exec(server.output()) ?? []
    const cli = (...args: string[]) => start('cli/main.ts', args, { FEDPLANE_SERVER: url })
    expect((await cli('template', 'create', 't', '--driver', 'memory@1', '--image', 'none').ended).code).toBe(0)
    expect((await cli('cluster', 'create', 'hub', '--template', 't').ended).code).toBe(0)
    const line = 'federation create slow --host hub --driver memory@1 --property memory-delay-seconds=900'
    const watching = cli(...line.split(' '))
    await watching.seen('CREATE_IN_PROGRESS')
    expect(await interruptTwice(watching)).toEqual({
      code: 130,
      output: expect.stringMatching(/Stopped watching\. The work goes on\.\nTry: fedplane federation watch slow\n$/),
    })
    expect((await interruptTwice(server)).code).toBe(0)
  })
})
