import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { descendantsOf, type FedplaneProcess, runFedplane } from '../../support/local/fedplane-process.ts'
import { listeningOf } from '../../support/local/listening.ts'

const TIMEOUT_MS = 90_000

describe('what a running server leaves to others', { timeout: TIMEOUT_MS }, () => {
  let dataDir: string
  let running: FedplaneProcess
  let url: string
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
    running = runFedplane(['--port', '0', '--data-dir', join(dataDir, 'data')])
    url = await running.url()
    const body = JSON.stringify({ name: 'a', driver: 'memory@1' })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${url}/v1/clusters`, { method: 'POST', body, headers })).status).toBe(202)
  }, TIMEOUT_MS)
  afterAll(async () => {
    running.child.kill('SIGKILL')
    await running.ended
    rmSync(dataDir, { recursive: true })
  })

  it.runIf(process.platform === 'linux')('is one port, that of its API', () => {
    expect(listeningOf([running.pid, ...descendantsOf(running.pid)])).toEqual([`port ${new URL(url).port}`])
  })

  it('is no file of its data directory', () => {
    const folder = join(dataDir, 'data')
    const files = readdirSync(folder)
    expect(files).toContain('database.db')
    const open = ['.', ...files].filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
    expect(open).toEqual([])
  })
})
