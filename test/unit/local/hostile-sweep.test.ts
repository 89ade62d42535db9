import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ATTACK_NAMES,
  type AttackName,
  type HostileServer,
  startHostileServer,
} from '../../support/kubernetes/hostile.ts'
import { makeCa } from '../../support/kubernetes/tls.ts'
import { until } from '../../support/local/engine-lab.ts'
import { type FedplaneProcess, runFedplane } from '../../support/local/fedplane-process.ts'

/** Registrations, then one sweep, in which a slow drip takes its 15 s; several sweeps, a minute each, on a busy machine. */
const TIMEOUT_MS = 480_000

/** MiB that the process may have of JavaScript objects. */
const HEAP_MIB = 96
const HOSTILE = 15
/** Between two requests of a tenant. */
const PAUSE_MS = 50

type Tenant = { token: string }
const MALLORY: Tenant = { token: 'token-of-mallory-for-tests' }
const ALICE: Tenant = { token: 'token-of-alice-for-tests' }

let folder: string
let servers: { honest: HostileServer; hostile: { server: HostileServer; attack: AttackName }[] }
let running: FedplaneProcess | undefined

const start = async (): Promise<string> => {
  running = runFedplane(['--port', '0', '--data-dir', join(folder, 'data')], {
    FEDPLANE_TOKENS: join(folder, 'tokens.json'),
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  })
  return running.url()
}

const stop = async (): Promise<void> => {
  running?.child.kill('SIGTERM')
  await running?.ended
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
  const holder = (name: string) => ({ userId: name, projectId: `project-${name}`, roles: ['member'] })
  const tokens = { [MALLORY.token]: holder('mallory'), [ALICE.token]: holder('alice') }
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify(tokens), { mode: 0o600 })
  const ca = await makeCa()
  servers = {
    honest: await startHostileServer(ca, 'honest'),
    hostile: await Promise.all(
      ATTACK_NAMES.slice(0, HOSTILE).map(async (attack, index) => ({
        attack,
        server: await startHostileServer(ca, `hostile-${index}`),
      })),
    ),
  }
})
afterAll(async () => {
  await stop()
  await Promise.all([servers.honest.close(), ...servers.hostile.map(({ server }) => server.close())])
  rmSync(folder, { recursive: true, force: true })
})

const call = async (url: string, { token }: Tenant, body?: unknown): Promise<Record<string, unknown>> => {
  const answer = await fetch(url, {
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(answer.status).toBeLessThan(300)
  return (await answer.json()) as Record<string, unknown>
}

type Shown = { name: string; status: string; health_status_reason: Record<string, string> | null }
const clustersOf = async (api: string, tenant: Tenant): Promise<Shown[]> =>
  (await call(`${api}/v1/clusters/detail`, tenant)).clusters as Shown[]

const register = async (api: string, tenant: Tenant, name: string, server: HostileServer): Promise<void> => {
  await call(`${api}/v1/clusters`, tenant, { name, kubeconfig: server.kubeconfig })
}

/** All of a tenant's, once `isSo` of each. */
const once = (api: string, tenant: Tenant, isSo: (cluster: Shown) => boolean): Promise<Shown[]> =>
  until(async () => {
    await delay(PAUSE_MS)
    const clusters = await clustersOf(api, tenant)
    return clusters.length > 0 && clusters.every(isSo) ? clusters : undefined
  }, TIMEOUT_MS)

const isRegistered = ({ status }: Shown): boolean => status === 'CREATE_COMPLETE'

describe('fifteen hostile clusters of one tenant', { timeout: TIMEOUT_MS }, () => {
  it('neither end the process nor keep the health and the requests of another one', async ({ annotate }) => {
    const first = await start()
    await register(first, ALICE, 'honest', servers.honest)
    for (const [index, { server }] of servers.hostile.entries()) await register(first, MALLORY, `h${index}`, server)
    await once(first, ALICE, isRegistered)
    expect(await once(first, MALLORY, isRegistered)).toHaveLength(HOSTILE)
    await stop()

    servers.honest.heal()
    for (const { server, attack } of servers.hostile) server.turn(attack)
    const api = await start()
    // From the first attack on.
    await Promise.race(servers.hostile.map(({ server }) => server.asked))
    const slowest = { ms: 0 }
    const watching = { isOver: false }
    const requests = (async () => {
      while (!watching.isOver) {
        const before = performance.now()
        await clustersOf(api, ALICE)
        slowest.ms = Math.max(slowest.ms, performance.now() - before)
        // Requests without a pause would measure themselves.
        await delay(PAUSE_MS)
      }
    })()
    // Told at the end; it may fail before.
    requests.catch(() => undefined)
    const isWell = ({ health_status_reason: reason }: Shown): boolean => reason?.api === 'ok'
    expect(await once(api, ALICE, isWell)).toMatchObject([{ health_status_reason: { 'n1.Ready': 'True' } }])
    const isReported = ({ health_status_reason: reason }: Shown): boolean =>
      reason?.api !== 'ok' && !reason?.api?.startsWith('GET /readyz answers 500')
    const told = await once(api, MALLORY, isReported)
    // One that could not be reached in time on a busy machine is asked in the next sweep.
    await Promise.all(servers.hostile.map(({ server }) => server.asked))
    watching.isOver = true
    await requests
    for (const { health_status_reason: reason } of told) {
      expect(reason?.api).toMatch(/\.$/)
      expect(JSON.stringify(reason).length).toBeLessThan(1_000)
    }
    expect(running?.child.exitCode).toBeNull()
    const { pid } = running ?? {}
    const memory =
      process.platform === 'linux' ? /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) : null
    await annotate(`slowest request ${Math.round(slowest.ms)} ms, most memory ${Number(memory?.[1] ?? 0) >> 10} MiB`)
    expect(running?.stderr()).not.toContain('not swept')
  })
})
