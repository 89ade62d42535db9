import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CanaryApi } from '../../../functions/workers/canary/canary-api.ts'
import { type CanaryParts, canaryRun } from '../../../functions/workers/canary/canary-run.ts'
import { logIn, parseCanarySecret } from '../../../functions/workers/canary/login.ts'
import { createLogger } from '../../../local/logger.ts'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { Api } from '../../support/api/api.ts'
import { bodyOf, type Loopback, sendJson, startLoopback } from '../../support/authorizer/loopback.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

const TOKEN = 'token-of-the-canary'
const SECRET = 'secret-of-the-canary'
const KEYSTONE = { application_credential_id: 'canary', application_credential_secret: SECRET }
const OIDC = { client_id: 'canary', client_secret: SECRET, scope: 'fedplane' }

let folder: string
let fedplane: Fedplane
let servers: SimulatedKubernetes[]
let api: Api
/** Gives out the canary's token, as Keystone and as an OIDC issuer. */
let issuer: Loopback
let asked: string[]

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-canary-'))
  const tokensFile = path.join(folder, 'tokens.json')
  const canary = { userId: 'canary', projectId: 'fedplane-canary', roles: ['member'] }
  writeFileSync(tokensFile, JSON.stringify({ [TOKEN]: canary }), { mode: 0o600 })
  ;[fedplane, issuer, ...servers] = await Promise.all([
    startFedplane({ tokensFile, log: createLogger({ level: 'silent' }) }),
    startLoopback(async (message, response) => {
      const body = await bodyOf(message)
      asked.push(`${message.method} ${message.url} ${message.headers.authorization ?? ''} ${body}`)
      if (message.url?.startsWith('/.well-known/')) {
        return sendJson(response, 200, { token_endpoint: `${issuer.url}/token` })
      }
      if (message.url === '/token') return sendJson(response, 200, { access_token: TOKEN, token_type: 'Bearer' })
      const { application_credential: given } = JSON.parse(body).auth.identity
      if (given.secret !== SECRET) return sendJson(response, 401, { error: { message: `not ${given.secret}` } })
      sendJson(response, 201, { token: {} }, { 'x-subject-token': TOKEN })
    }),
    startSimulatedKubernetes(),
    startSimulatedKubernetes(),
  ])
  api = new Api(fedplane.url, { token: TOKEN })
}, 120_000)
afterAll(async () => {
  await Promise.all([fedplane, issuer, ...(servers ?? [])].map((it) => it?.close()))
  rmSync(folder, { recursive: true, force: true })
})

const named = async (): Promise<string[]> => {
  const { clusters } = await api.get<{ clusters: { name: string }[] }>('/v1/clusters')
  const { federations } = await api.get<{ federations: { name: string }[] }>('/v1/federations')
  return [...clusters, ...federations].map(({ name }) => name)
}

afterEach(async () => {
  expect((await named()).filter((name) => name.startsWith('fedplane-canary-'))).toEqual([])
})

const kubeconfigs = () => ({
  host_kubeconfig: servers[0]?.kubeconfig,
  member_kubeconfig: servers[1]?.kubeconfig,
})

const refused = (): string => servers[1]?.kubeconfig.replace(servers[1].token, 'another') ?? ''

const partsWith = (secret: object = { ...kubeconfigs(), ...KEYSTONE }, change: Partial<CanaryParts> = {}) => {
  asked = []
  const published: unknown[] = []
  const log = keptLog()
  const parts: CanaryParts = {
    url: fedplane.url,
    login: { keystoneUrl: `${issuer.url}/v3`, oidcIssuer: issuer.url },
    readSecret: async () => JSON.stringify(secret),
    publish: (values) => void published.push(values),
    clock: { now: () => new Date() },
    log,
    pollMs: 20,
    ...change,
  }
  return { parts, published, log }
}

/** What a run that died `secondsAgo` has left behind: a federation and its clusters. */
const leaveBehind = async (secondsAgo: number): Promise<void> => {
  const prefix = `fedplane-canary-${Math.floor(Date.now() / 1000) - secondsAgo}`
  const ids = await Promise.all(
    servers.map((server, index) =>
      api.create('/v1/clusters', { name: `${prefix}-${index}`, kubeconfig: server.kubeconfig }),
    ),
  )
  for (const id of ids) await api.settled(`/v1/clusters/${id}`, 'CREATE_COMPLETE')
  await api.create('/v1/federations', {
    name: `${prefix}-federation`,
    hostcluster_id: ids[0],
    member_ids: [ids[1]],
    driver: 'clusterprofile@1',
  })
}

describe('canaryRun', { timeout: 120_000 }, () => {
  it('walks from nothing to nothing with a token of Keystone, and says how long it took', async () => {
    const { parts, published, log } = partsWith()
    const report = await canaryRun(parts)
    expect(report).toMatchObject({ outcome: 'walked', cleaned: 0 })
    expect(published).toEqual([{ CanarySeconds: report.seconds }])
    expect(asked).toEqual([expect.stringMatching(/^POST \/v3\/auth\/tokens\?nocatalog /)])
    expect(JSON.stringify(log.lines)).not.toMatch(/token-of-the|secret-of-the|kubeconfig/)
  })

  it('logs in at an OIDC issuer as a client of its own', async () => {
    asked = []
    const secret = parseCanarySecret(JSON.stringify({ ...kubeconfigs(), ...OIDC }))
    const login = await logIn(secret, { keystoneUrl: '', oidcIssuer: `${issuer.url}/` }, new AbortController().signal)
    const other = new CanaryApi({ url: fedplane.url, login, signal: new AbortController().signal })
    // The file of tokens takes bearer tokens, too.
    expect(await other.get('/v1/clusters')).toEqual({ clusters: [] })
    const basic = Buffer.from(`canary:${SECRET}`).toString('base64')
    expect(asked.at(-1)).toBe(`POST /token Basic ${basic} grant_type=client_credentials&scope=fedplane`)
  })

  it('does nothing while another run may be under way; later removes what that has left, and touches nothing else', async () => {
    const mine = await api.create('/v1/clusters', { name: 'mine', kubeconfig: refused() })
    await leaveBehind(30)
    const { parts, published } = partsWith()
    expect(await canaryRun(parts)).toEqual({ outcome: 'skipped', seconds: 0, cleaned: 0 })
    expect(published).toEqual([])
    expect(await named()).toHaveLength(4)
    const later = { now: () => new Date(Date.now() + 3_600_000) }
    expect(await canaryRun({ ...parts, clock: later })).toMatchObject({ outcome: 'walked', cleaned: 3 })
    expect(await named()).toEqual(['mine'])
    await api.delete(`/v1/clusters/${mine}`)
    await api.gone(`/v1/clusters/${mine}`)
  })

  it('says at which step it failed and why, has no value in the metric, and cleans up', async () => {
    const { parts, published } = partsWith({ ...kubeconfigs(), member_kubeconfig: refused(), ...KEYSTONE })
    await expect(canaryRun(parts)).rejects.toMatchObject({
      name: 'CanaryFailed',
      message: expect.stringMatching(
        /^The canary failed at "register clusters": fedplane-canary-\d+-member is CREATE_FAILED: /,
      ),
    })
    expect(published).toEqual([])
  })

  it.each<[string, object, RegExp]>([
    ['no JSON', { toJSON: () => 'nonsense' }, /^The canary's secret is not what it should be: a JSON object with/],
    [
      'no credential',
      { host_kubeconfig: 'x', member_kubeconfig: 'y' },
      /^The canary's secret is not what it should be/,
    ],
    [
      'a refused credential',
      { host_kubeconfig: 'x', member_kubeconfig: 'y', ...KEYSTONE, application_credential_secret: 'wrong' },
      /^POST \/v3\/auth\/tokens was answered 401\.$/,
    ],
  ])('shows nothing of a secret with %s', async (_, secret, message) => {
    const { parts, log } = partsWith(secret)
    const error = await canaryRun(parts).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ message: expect.stringMatching(message) })
    expect(`${(error as Error).message}${JSON.stringify(log.lines)}`).not.toContain('wrong')
  })

  it('refuses a credential of an identity provider that the installation does not know', async () => {
    const { parts } = partsWith(undefined, { login: { keystoneUrl: '', oidcIssuer: issuer.url } })
    await expect(canaryRun(parts)).rejects.toThrow(/^The canary's secret has a credential of Keystone, and this/)
  })
})
