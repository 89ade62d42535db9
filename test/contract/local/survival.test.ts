import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/local/engine-lab.ts'
import { type FedplaneProcess, runFedplane } from '../../support/local/fedplane-process.ts'

const TIMEOUT_MS = 120_000
const PLAYED = {
  FEDPLANE_FEDERATION_DRIVERS: 'memory@1',
  FEDPLANE_CLUSTER_DRIVERS: 'memory@1',
  FEDPLANE_LOG_LEVEL: 'info',
}

let dataDir: string
let running: FedplaneProcess
let url: string

const start = async (): Promise<void> => {
  running = runFedplane(['--port', '0', '--data-dir', dataDir], PLAYED)
  url = await running.url()
}

const kill = async (): Promise<void> => {
  running.child.kill('SIGKILL')
  await running.ended
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
  await start()
}, TIMEOUT_MS)
afterAll(async () => {
  await kill()
  rmSync(dataDir, { recursive: true, force: true })
})

type Body = Record<string, unknown> & { uuid: string; status: string }

const call = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }> => {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await fetch(`${url}/v1${path}`, { method, ...init })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

const create = async (path: string, body: unknown): Promise<string> => {
  const answer = await call('POST', path, body)
  expect(answer).toMatchObject({ status: 202, body: { uuid: expect.any(String) } })
  return answer.body.uuid
}

/** Waits for the end of what runs on an object, and demands how it ends. */
const becomes = async (path: string, status: string): Promise<Body> => {
  const { body } = await until(async () => {
    const answer = await call('GET', path)
    return !String(answer.body.status).endsWith('_IN_PROGRESS') && answer
  }, 60_000)
  expect(body).toMatchObject({ status })
  return body
}

const simulated = (name: string, labels: Record<string, string> = {}) => ({ name, driver: 'memory@1', labels })

/** Lines of the log with this message. */
const logged = (message: string): Record<string, unknown>[] =>
  running
    .stderr()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
    .filter((line) => line.message === message)

describe('a server that is killed', { timeout: TIMEOUT_MS }, () => {
  it('goes on with every open operation after its restart, and relays events once', async () => {
    const host = await create('/clusters', simulated('host', { 'memory-delay-seconds': '2' }))
    await kill()
    await start()
    expect((await call('GET', `/clusters/${host}`)).body.status).toBe('CREATE_IN_PROGRESS')
    await becomes(`/clusters/${host}`, 'CREATE_COMPLETE')
    expect(logged('executions resumed')).toEqual([expect.objectContaining({ count: 1 })])
    const typesOf = () => logged('event').map((line) => line.type)
    await until(() => typesOf().includes('cluster.create.success'))

    const members = await Promise.all(['m1', 'm2', 'm3'].map((name) => create('/clusters', simulated(name))))
    await Promise.all(members.map((id) => becomes(`/clusters/${id}`, 'CREATE_COMPLETE')))
    const federation = await create('/federations', { name: 'f', hostcluster_id: host, member_ids: members })
    await kill()
    await start()
    const made = await becomes(`/federations/${federation}`, 'CREATE_COMPLETE')
    expect(made.member_ids).toEqual([...members].sort())

    expect((await call('DELETE', `/federations/${federation}`)).status).toBe(204)
    await kill()
    await start()
    await until(async () => (await call('GET', `/federations/${federation}`)).status === 404, 60_000)
    await until(() => typesOf().includes('federation.delete.success'))
    expect(typesOf()).not.toContain('cluster.create.success')
    expect(logged('request failed')).toEqual([])
  })

  it('goes on with a federation whose host is created with it, and with the deletion of both', async () => {
    const labels = { 'memory-delay-seconds': '2' }
    const small = { name: 'slow', coe: 'kubernetes', image_id: 'none', driver: 'memory@1', labels }
    expect((await call('POST', '/clustertemplates', small)).status).toBe(201)
    const federation = await create('/federations', { name: 'own', host: { cluster_template_id: 'slow' } })
    await kill()
    await start()
    expect((await call('GET', `/federations/${federation}`)).body.status).toBe('CREATE_IN_PROGRESS')
    const { hostcluster_id: host } = await becomes(`/federations/${federation}`, 'CREATE_COMPLETE')
    expect((await call('GET', `/clusters/${host}`)).body).toMatchObject({ name: 'own-host', status: 'CREATE_COMPLETE' })

    expect((await call('DELETE', `/federations/${federation}`)).status).toBe(204)
    for (const gone of [`/federations/${federation}`, `/clusters/${host}`]) {
      await kill()
      await start()
      await until(async () => (await call('GET', gone)).status === 404, 60_000)
    }
    expect(logged('request failed')).toEqual([])
  })
})
