import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '../../../local/logger.ts'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { Api, type ClusterView, type FederationView } from '../../support/api/api.ts'

/** Issue 14, point 6a: a project whose host hangs does not keep another project's create waiting. */

const TIMEOUT_MS = 120_000
/** What the attacker asks for, and what they get. */
const ASKED = 150
const LIMIT = 100
/** Steps of the attacker's that may be tried while ours waits: in a queue of all, ours would wait for all but the last 32. */
const TRIED_MAX = LIMIT - 32

/** Passes bytes on to an API server; from `hang` on it lets TLS come up, and no request ever arrives. */
class HangingProxy {
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  readonly #server: Server = createServer((client) => this.#serve(client))
  #hangs = false

  constructor(target: string) {
    this.#target = new URL(target)
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  hang(): void {
    this.#hangs = true
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.hang()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(client: Socket): void {
    const server = dial(Number(this.#target.port), this.#target.hostname)
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => this.#sockets.delete(socket))
    }
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    server.pipe(client)
    // The first bytes are the ClientHello, after whose answer the client believes itself connected.
    if (this.#hangs) client.once('data', (hello) => server.write(hello))
    else client.pipe(server)
  }
}

describe('a project whose host hangs', () => {
  let folder: string
  let host: SimulatedKubernetes
  let proxy: HangingProxy
  let fedplane: Fedplane
  let [attacker, neighbour]: Api[] = []

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'fedplane-fairness-'))
    const tokensFile = path.join(folder, 'tokens.json')
    const holder = (projectId: string) => ({ userId: projectId, projectId, roles: ['admin'] })
    writeFileSync(tokensFile, JSON.stringify({ a: holder('attacker'), n: holder('neighbour') }), { mode: 0o600 })
    host = await startSimulatedKubernetes()
    proxy = new HangingProxy(host.server)
    const drivers = { enabledFederation: ['clusterprofile@1', 'memory@1'], enabledCluster: ['external@1', 'memory@1'] }
    fedplane = await startFedplane({ tokensFile, drivers, log: createLogger({ level: 'error' }) })
    attacker = new Api(fedplane.url, { token: 'a' })
    neighbour = new Api(fedplane.url, { token: 'n' })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await fedplane.close()
    await proxy.close()
    await host.close()
    rmSync(folder, { recursive: true })
  })

  const complete = async (api: Api, kind: 'clusters' | 'federations', id: string): Promise<void> => {
    const status = async () => (await api.get<ClusterView | FederationView>(`/v1/${kind}/${id}`)).status
    await expect.poll(status, { timeout: TIMEOUT_MS }).toBe('CREATE_COMPLETE')
  }

  it(
    'gets as many federations as its limit allows, and another project’s create finishes meanwhile',
    async () => {
      const kubeconfig = host.kubeconfig.replaceAll(host.server, await proxy.start())
      const hanging = await attacker!.create('/v1/clusters', { name: 'hanging', kubeconfig })
      await complete(attacker!, 'clusters', hanging)
      proxy.hang()

      const federation = { hostcluster_id: hanging, driver: 'clusterprofile@1' }
      const asked = Array.from({ length: ASKED }, () => attacker!.create('/v1/federations', federation))
      const answers = await Promise.allSettled(asked)
      const refused = answers.filter(({ status }) => status === 'rejected')
      expect(answers.length - refused.length).toBe(LIMIT)
      for (const answer of refused) {
        expect(answer).toMatchObject({ reason: { status: 403, message: expect.stringContaining(`limit is ${LIMIT}`) } })
      }

      const simulated = await neighbour!.create('/v1/clusters', { driver: 'memory@1' })
      await complete(neighbour!, 'clusters', simulated)
      const fleet = await neighbour!.create('/v1/federations', { hostcluster_id: simulated, driver: 'memory@1' })
      await complete(neighbour!, 'federations', fleet)

      const ids = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      const views = await Promise.all(ids.map((id) => attacker!.get<FederationView>(`/v1/federations/${id}`)))
      const tried = views.filter(({ status, status_reason: said }) => status !== 'CREATE_IN_PROGRESS' || said !== null)
      expect(tried.length).toBeLessThan(TRIED_MAX)
    },
    TIMEOUT_MS,
  )
})
