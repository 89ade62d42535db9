import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/local/engine-lab.ts'
import { type FedplaneProcess, runFedplane } from '../../support/local/fedplane-process.ts'
import { Receiver } from '../../support/triggers.ts'

/** Server and database are one process: a kill takes both, wherever they are. */
const ENVIRONMENT = {
  FEDPLANE_FEDERATION_DRIVERS: 'memory@1',
  FEDPLANE_CLUSTER_DRIVERS: 'memory@1',
  FEDPLANE_CLUSTERS_PER_PROJECT: '1000',
}
const KILLS = 5
const TIMEOUT_MS = 120_000

let dataDir: string
let receiver: Receiver
let running: FedplaneProcess
let url: string

const start = async (): Promise<void> => {
  running = runFedplane(['--port', '0', '--data-dir', dataDir], ENVIRONMENT)
  url = await running.url()
}
const kill = async (): Promise<void> => {
  running.child.kill('SIGKILL')
  await running.ended
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
  receiver = await new Receiver().start()
  await start()
}, TIMEOUT_MS)
afterAll(async () => {
  await kill()
  await receiver.close()
  rmSync(dataDir, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes.
type Answer = { status: number; body: any }

const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await fetch(`${url}/v1${path}`, { method, ...init })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

/** While the server is away there is no answer: whoever asked does not know what became of it. */
const tryCall = async (...given: Parameters<typeof call>): Promise<Answer | undefined> => {
  try {
    return await call(...given)
  } catch {
    await delay(50)
    return undefined
  }
}

type Seen = { id: string; owner: string; sequence: number }

/** Changes clusters, one thing after the other, until it is told to end. */
const change = async (name: string, isOver: () => boolean): Promise<void> => {
  for (let count = 0; !isOver(); count += 1) {
    const made = await tryCall('POST', '/clusters', { name: `${name}-${count}`, driver: 'memory@1' })
    for (let size = 2; size < 4 && made?.status === 202 && !isOver(); size += 1) {
      const patch = [{ op: 'replace', path: '/node_count', value: size }]
      await tryCall('PATCH', `/clusters/${made.body.uuid}`, patch)
      await delay(20)
    }
  }
}

/** Follows the feed as a program does: from the last cursor on, whatever happens to the server. */
const follow = async (seen: Seen[], isOver: () => boolean): Promise<void> => {
  let since = ''
  while (!isOver()) {
    const answer = await tryCall('GET', `/events?limit=20${since}`)
    if (answer?.status !== 200) continue
    for (const { id, owner, sequence } of answer.body.events) seen.push({ id, owner: owner.uuid, sequence })
    if (answer.body.cursor !== null) since = `&since=${answer.body.cursor}`
    if (answer.body.events.length === 0) await delay(50)
  }
}

/** What is stored of each cluster, in its order: what consumers have to get. */
const histories = async (): Promise<Map<string, string[]>> => {
  const { body } = await call('GET', '/clusters?limit=1000')
  const found = new Map<string, string[]>()
  for (const { uuid } of body.clusters) {
    const events = (await call('GET', `/clusters/${uuid}/events?limit=1000`)).body.events
    found.set(
      uuid,
      events.map(({ id }: { id: string }) => id),
    )
  }
  return found
}

const isAtRest = async (): Promise<boolean> => {
  const { body } = await call('GET', '/clusters?limit=1000')
  return body.clusters.every(({ status }: { status: string }) => !status.endsWith('_IN_PROGRESS'))
}

describe('consumers of events', () => {
  it('lose none and get them in order, whenever server and database are killed', { timeout: TIMEOUT_MS }, async () => {
    const wanted = { name: 'all', events: ['*'], target: { url: receiver.url } }
    const { body: trigger } = await call('POST', '/triggers', wanted)
    let [isQuiet, isOver] = [false, false]
    const seen: Seen[] = []
    const reader = follow(seen, () => isOver)
    const changing = ['a', 'b', 'c'].map((name) => change(name, () => isQuiet))
    for (let count = 0; count < KILLS; count += 1) {
      await delay(200 + Math.random() * 1_300)
      await kill()
      await start()
    }
    isQuiet = true
    await Promise.all(changing)
    await until(isAtRest, 60_000)
    const stored = await histories()
    const all = [...stored.values()].flat()
    expect(all.length).toBeGreaterThan(50)

    await until(() => new Set(seen.map(({ id }) => id)).size >= all.length, 30_000)
    isOver = true
    await reader
    for (const [uuid, ids] of stored) {
      const first = [...new Set(seen.flatMap(({ id, owner }) => (owner === uuid ? [id] : [])))]
      expect(first, uuid).toEqual(ids)
    }

    // A try that was killed begins again a minute later: until then it is listed as pending.
    const received = () => new Set(receiver.got.map(({ headers }) => headers['webhook-id']))
    const pendingOf = async (): Promise<Set<string>> => {
      const { body } = await call('GET', `/triggers/${trigger.uuid}/deliveries?limit=1000`)
      return new Set(
        body.deliveries.flatMap((it: { state: string; webhook_id: string }) =>
          it.state === 'pending' ? [it.webhook_id] : [],
        ),
      )
    }
    await until(async () => {
      const pending = await pendingOf()
      const got = received()
      return all.every((id) => got.has(id) || pending.has(id)) && got.size > all.length / 2
    }, 30_000)
  })
})
