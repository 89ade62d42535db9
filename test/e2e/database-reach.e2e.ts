import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInBrowser } from '../support/browser.ts'
import { descendantsOf, type FedplaneProcess, runFedplane } from '../support/local/fedplane-process.ts'
import { listeningOf } from '../support/local/listening.ts'

/** Of `nobody`, on every Linux. */
const OTHER_USER = { uid: 65_534, gid: 65_534 }
const TOKEN = 'e2e-token'

/** What the database of earlier releases answered to, wherever it listened. */
const LIST_TABLES = { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' }

let folder: string
let running: FedplaneProcess
let ports: number[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fedplane-e2e-'))
  const tokens = join(folder, 'tokens.json')
  writeFileSync(tokens, JSON.stringify({ [TOKEN]: { userId: 'u', projectId: 'p', roles: ['admin', 'member'] } }), {
    mode: 0o600,
  })
  running = runFedplane(['--port', '0', '--data-dir', join(folder, 'data')], { FEDPLANE_TOKENS: tokens })
  await running.url()
  const addresses = listeningOf([running.pid, ...descendantsOf(running.pid)])
  expect(addresses.every((address) => address.startsWith('port '))).toBe(true)
  ports = addresses.map((address) => Number(address.slice('port '.length)))
})
afterAll(async () => {
  running.child.kill('SIGKILL')
  await running.ended
  rmSync(folder, { recursive: true, force: true })
})

describe('the database of a running server', () => {
  it('is not reached from a web page, on any port', async () => {
    expect(ports).toHaveLength(1)
    const script = `
      const ask = async (port, init) => {
        const response = await fetch('http://127.0.0.1:' + port + '/', { method: 'POST', body: '{}', ...init })
        return { type: response.type, status: response.status, text: (await response.text()).slice(0, 200) }
      }
      const tries = argument.ports.flatMap((port) => [
        ask(port, { headers: argument.headers }),
        ask(port, { mode: 'no-cors' }),
      ])
      return (await Promise.allSettled(tries)).map(({ value, reason }) => value ?? String(reason))`
    const answers = (await runInBrowser(script, { ports, headers: LIST_TABLES })) as unknown[]
    expect(answers).toEqual([expect.stringContaining('Failed to fetch'), { type: 'opaque', status: 0, text: '' }])
  })

  it('is not reached by another user of the machine: no port answers, no file opens', async () => {
    // An assertion and no condition: a machine where nobody may become somebody else can't show it.
    expect(process.getuid?.(), 'run this as root, which may act as another user').toBe(0)
    const run = (command: string, ...args: string[]): string => {
      try {
        return execFileSync('sh', ['-c', command, 'sh', ...args], {
          ...OTHER_USER,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        })
      } catch (error) {
        return `refused: ${(error as { stderr: string }).stderr}`
      }
    }
    expect(run('id -u').trim()).toBe(String(OTHER_USER.uid))
    const data = join(folder, 'data')
    expect(run('ls "$1"', data)).toMatch(/^refused: .*Permission denied/)
    const files = readdirSync(data)
    expect(files).toEqual(expect.arrayContaining(['database.db', 'key', 'lock.db']))
    const opened = files.filter((name) => !/^refused: .*Permission denied/.test(run('cat "$1"', join(data, name))))
    expect(opened).toEqual([])
    const fetched = await Promise.all(
      ports.map(async (port) =>
        (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}', headers: LIST_TABLES })).text(),
      ),
    )
    expect(fetched.join()).not.toContain('TableNames')
  })
})
