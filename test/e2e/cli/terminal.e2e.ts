import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { CommandLine } from '../../support/cli/command-line.ts'
import { inTerminal, type Step, type Terminal } from './terminal.ts'

/** What a person sees of long work, and of questions. */

let fedplane: Fedplane
let cli: CommandLine
let home: string
beforeAll(async () => {
  fedplane = await startFedplane({ drivers: { enabledFederation: ['memory@1'], enabledCluster: ['memory@1'] } })
  cli = new CommandLine({ FEDPLANE_SERVER: fedplane.url })
  home = mkdtempSync(path.join(tmpdir(), 'fedplane-cli-'))
  expect((await cli.run('template create small --driver memory@1 --image none')).code).toBe(0)
  for (const name of ['hub', 'edge-1', 'edge-2'])
    expect((await cli.run(`cluster create ${name} --template small`)).code).toBe(0)
})
afterAll(async () => {
  await fedplane.close()
  cli.close()
  rmSync(home, { recursive: true, force: true })
})

const terminal = (line: string, steps: readonly Step[], options: Terminal = {}) =>
  inTerminal(line.split(' '), steps, { ...options, env: { HOME: home, FEDPLANE_SERVER: fedplane.url, ...options.env } })

/** What remains to be read once colours and movements of the cursor are left out. */
const plain = (output: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is reported.
  output.replaceAll(/\u001b\[[\d;?]*[a-zA-Z]/g, '').replaceAll('\r\n', '\n')

const slow = (name: string): string =>
  `federation create ${name} --host hub --member edge-1 --property memory-delay-seconds=3`

describe('long work on a terminal', { concurrent: false }, () => {
  it('is one block that is written again, and leaves the result', async ({ expect }) => {
    const { output, code } = await terminal(slow('block'), [{ until: 'CREATE_IN_PROGRESS' }])
    expect(code).toBe(0)
    // Lines are erased and written anew, and the cursor is there again at the end.
    expect(output).toContain('\u001b[2K')
    expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'))
    expect(plain(output)).toMatch(/federation\/block created\n$/)
    await cli.run('federation delete block --yes')
  })

  it('fits into a narrow window', async ({ expect }) => {
    const { output, code } = await terminal(slow('narrow'), [{ until: 'CREATE_IN_' }], { columns: 30 })
    expect(code).toBe(0)
    const lines = plain(output).split(/[\r\n]+/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30)
    await cli.run('federation delete narrow --yes')
  })

  it('is plain lines with TERM=dumb', async ({ expect }) => {
    const { output } = await terminal(slow('dumb'), [], { env: { TERM: 'dumb' } })
    expect(output).not.toContain('\u001b')
    expect(output).toMatch(/federation\/dumb {2}CREATE_IN_PROGRESS .*\r\n/)
    await cli.run('federation delete dumb --yes')
  })

  it('goes on after Ctrl-C, which says how to look again', async ({ expect }) => {
    const { output, code } = await terminal(slow('interrupted'), [{ until: 'CREATE_IN_PROGRESS' }, { send: '\u0003' }])
    expect(code).toBe(130)
    expect(plain(output)).toMatch(
      /Stopped watching\. The work goes on\.\nTry: fedplane federation watch interrupted\n$/,
    )
    expect((await cli.run('federation watch interrupted')).stdout).toMatch(/CREATE_COMPLETE/)
    await cli.run('federation delete interrupted --yes')
  })

  it('sleeps after Ctrl-Z with the cursor shown, and goes on', async ({ expect }) => {
    const steps: Step[] = [
      { until: 'CREATE_IN_PROGRESS' },
      { send: '\u001a' },
      { stopped: true },
      { signal: 'SIGCONT' },
    ]
    const { output, code } = await terminal(slow('asleep'), steps)
    expect(code).toBe(0)
    expect(plain(output)).toMatch(/federation\/asleep created\n$/)
    expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'))
    await cli.run('federation delete asleep --yes')
  })
})

describe('questions and colours', () => {
  it('asks before it destroys, and does nothing on no, Enter and Ctrl-C', async ({ expect }) => {
    expect((await cli.run('federation create kept --host hub --member edge-2')).code).toBe(0)
    for (const answer of ['n\r', '\r', '\u0003']) {
      const { output, code } = await terminal('federation delete kept', [{ until: 'Go on\\?' }, { send: answer }])
      expect(output).toContain('Federation kept will be deleted, and edge-2 leave it.')
      expect(code).not.toBe(0)
    }
    expect((await cli.run('federation show kept -o jsonpath={.status}')).stdout).toBe('CREATE_COMPLETE')
    const { output, code } = await terminal('federation delete kept', [{ until: 'Go on\\?' }, { send: 'y\r' }])
    expect([code, plain(output)]).toEqual([0, expect.stringMatching(/federation\/kept deleted\n$/)])
  })

  it('shows errors in red, and without colour with NO_COLOR', async ({ expect }) => {
    expect((await terminal('federation show none', [])).output).toContain('\u001b[31mfedplane:\u001b[39m')
    expect((await terminal('federation show none', [], { env: { NO_COLOR: '1' } })).output).not.toContain('\u001b')
  })

  it('refuses to read a token that the terminal would show', async ({ expect }) => {
    expect(await terminal('login x --with-token', [])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/a terminal would show it/),
    })
  })
})

describe('a pipe', () => {
  it('that is closed early is no error', async ({ expect }) => {
    const main = path.resolve(import.meta.dirname, '../../../cli/main.ts')
    const line = `set -o pipefail; ${process.execPath} ${main} cluster list -o yaml | head -1`
    const env = { ...process.env, HOME: home, FEDPLANE_SERVER: fedplane.url }
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', line], { env })
    expect([stdout, stderr]).toEqual(['clusters:\n', ''])
  })
})
