import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/local/engine-lab.ts'
import { type FedplaneProcess, runFedplane } from '../../support/local/fedplane-process.ts'

/** Issue 17: kill -9 of the server while a grant is revoked. Nobody asks again: the unjoin ends by itself after the restart. */

const TOKENS = {
  ana: { userId: 'ana', projectId: 'blue', roles: ['member'] },
  ben: { userId: 'ben', projectId: 'green', roles: ['member'] },
}
type Person = keyof typeof TOKENS

const TIMEOUT_MS = 180_000
/** The reconciler comes by each minute. */
const BY_ITSELF_MS = 150_000

let dataDir: string
let running: FedplaneProcess
let url: string

const start = async (): Promise<void> => {
  running = runFedplane(['--port', '0', '--data-dir', join(dataDir, 'data')], {
    FEDPLANE_FEDERATION_DRIVERS: 'memory@1',
    FEDPLANE_CLUSTER_DRIVERS: 'memory@1',
    FEDPLANE_LOG_LEVEL: 'info',
    FEDPLANE_TOKENS: join(dataDir, 'tokens.json'),
  })
  url = await running.url()
}

const kill = async (): Promise<void> => {
  running.child.kill('SIGKILL')
  await running.ended
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'fedplane-revocation-'))
  writeFileSync(join(dataDir, 'tokens.json'), JSON.stringify(TOKENS), { mode: 0o600 })
  await start()
}, TIMEOUT_MS)
afterAll(async () => {
  await kill()
  rmSync(dataDir, { recursive: true, force: true })
})

type Body = Record<string, unknown> & { uuid: string; status: string; member_ids: string[] }

const call = async (as: Person, line: string, body?: unknown): Promise<{ status: number; body: Body }> => {
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: { 'x-auth-token': as, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

const settled = (as: Person, path: string): Promise<Body> =>
  until(async () => {
    const { body } = await call(as, `GET ${path}`)
    return String(body.status).endsWith('_COMPLETE') && body
  }, 60_000)

const create = async (as: Person, path: string, body: unknown): Promise<string> => {
  const { uuid } = (await call(as, `POST ${path}`, body)).body
  await settled(as, `${path}/${uuid}`)
  return uuid
}

/** A cluster of ben's that is a member of ana's federation by a grant. */
const lent = async (name: string) => {
  const driver = 'memory@1'
  const cluster = await create('ben', '/clusters', { name, driver })
  const body = { project_id: 'blue', actions: ['join'], rights: 'more' }
  const grant = (await call('ben', `POST /clusters/${cluster}/grants`, body)).body.uuid
  const hostcluster_id = await create('ana', '/clusters', { name: `hub-of-${name}`, driver })
  const federation = await create('ana', '/federations', { name: `of-${name}`, hostcluster_id, member_ids: [cluster] })
  expect((await call('ana', `GET /federations/${federation}`)).body.member_ids).toEqual([cluster])
  return { cluster, federation, grant: `/clusters/${cluster}/grants/${grant}` }
}

/** Types of the events in the log of this process. */
const typesOf = (): unknown[] =>
  running
    .stderr()
    .split('\n')
    .flatMap((line) => (line.includes('"message":"event"') ? [JSON.parse(line).type] : []))

const MOMENTS: Readonly<Record<string, (grant: string) => Promise<void>>> = {
  'with the request on its way': async (grant) => {
    call('ben', `DELETE ${grant}`).catch(() => undefined)
  },
  'when it has answered': async (grant) => {
    expect((await call('ben', `DELETE ${grant}`)).status).toBe(204)
  },
  'when the unjoin has begun': async (grant) => {
    await call('ben', `DELETE ${grant}`)
    await until(() => typesOf().includes('federation.unjoin.pending'))
  },
}

describe('a server that is killed while a grant is revoked', { timeout: TIMEOUT_MS }, () => {
  it.each(Object.entries(MOMENTS))('%s has the member leave by itself', async (moment, revoke) => {
    const { cluster, federation, grant } = await lent(moment.replaceAll(' ', '-'))
    await revoke(grant)
    await kill()
    await start()
    const { status, body } = await call('ben', `GET ${grant}`)
    // The request may not have come so far: then nothing has changed, and it is sent again.
    const isLost = status === 200 && body.state === 'live'
    if (isLost) expect((await call('ben', `DELETE ${grant}`)).status).toBe(204)
    await until(
      async () => (await call('ana', `GET /federations/${federation}`)).body.member_ids.length === 0,
      BY_ITSELF_MS,
    )
    await until(async () => (await call('ben', `GET ${grant}`)).status === 404, BY_ITSELF_MS)
    const uses = await call('ben', `GET /clusters/${cluster}/federations`)
    expect(uses.body).toMatchObject({ federations: [] })
    expect((await call('ben', `DELETE /clusters/${cluster}`)).status).toBe(204)
  })
})
