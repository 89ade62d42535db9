import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../support/local/engine-lab.ts'
import { databaseOf, type FedplaneProcess, livingOf, runFedplane } from '../../support/local/fedplane-process.ts'

const PATIENCE_MS = 120_000
const CLUSTERS = 6
const RESTARTED = 'the embedded database ended and was started again'

let dataDir: string
let running: FedplaneProcess
let url: string

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
  running = runFedplane(['--port', '0', '--data-dir', dataDir], { FEDPLANE_CLUSTER_DRIVERS: 'memory@1' })
  url = await running.url()
}, PATIENCE_MS)
afterEach(async () => {
  running.child.kill('SIGKILL')
  await running.ended
  rmSync(dataDir, { recursive: true, force: true })
})

/** Kills the database that runs now, which is none of `before`; its process id. */
const killDatabase = async (before: readonly number[] = []): Promise<number> => {
  const pid = await until(() => {
    const found = databaseOf(running.pid)
    return found !== undefined && !before.includes(found) && found
  })
  process.kill(pid, 'SIGKILL')
  return pid
}

const warnings = (): Record<string, unknown>[] =>
  running
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

const createCluster = async (_: unknown, index: number): Promise<string> => {
  const response = await fetch(`${url}/v1/clusters`, {
    method: 'POST',
    body: JSON.stringify({ name: `c${index}`, driver: 'memory@1', labels: { 'memory-delay-seconds': '1' } }),
    headers: { 'content-type': 'application/json' },
  })
  expect(response.status).toBe(202)
  return ((await response.json()) as { uuid: string }).uuid
}

/** Undefined when the answer is not the cluster. */
const statusOf = async (id: string): Promise<string | undefined> => {
  const response = await fetch(`${url}/v1/clusters/${id}`)
  return response.ok ? ((await response.json()) as { status: string }).status : undefined
}

describe('an embedded database that is killed', { timeout: PATIENCE_MS }, () => {
  it('is started again, and every open operation goes on to its end', async () => {
    const ids = await Promise.all(Array.from({ length: CLUSTERS }, createCluster))
    expect(await Promise.all(ids.map(statusOf))).toContain('CREATE_IN_PROGRESS')
    const killed = await killDatabase()
    const complete = async (id: string) => (await statusOf(id)) === 'CREATE_COMPLETE'
    await Promise.all(ids.map((id) => until(() => complete(id), 90_000)))

    expect(livingOf([running.pid])).toEqual([running.pid])
    expect(databaseOf(running.pid)).not.toBe(killed)
    const restarts = warnings().filter(({ message }) => message === RESTARTED)
    expect(restarts).toEqual([expect.objectContaining({ level: 'warn', end: expect.stringContaining('137') })])
  })

  it('again and again ends the server with a sentence that tells how it ended', async () => {
    const killed: number[] = []
    for (let count = 0; count < 6; count++) killed.push(await killDatabase(killed))
    expect(await running.ended).toEqual({ code: 1, signal: null })
    expect(running.stderr()).toMatch(
      /^fedplane: The embedded DynamoDB ended 6 times within a minute, at last with exit code 137.*\.$/m,
    )
    expect(livingOf(killed)).toEqual([])
  })
})
