import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { newAuthority } from '../../../simulated-kubernetes/pki.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { Api, type ClusterView } from '../../support/api/api.ts'

/** Hooks of a whole server: an API server stops and comes back, and its hook is what tells of it. */

const TIMEOUT_MS = 60_000
const POSTS = 1_000
/** Who post at the same time. */
const SENDERS = 50

type Feed = { events: { type: string; health?: { before: string | null; after: string } }[] }
type Request = { state: string; ended_at: string | null }

describe('hooks', { timeout: 120_000 }, () => {
  let kubernetes: SimulatedKubernetes
  let fedplane: Fedplane
  let api: Api
  let cluster: string
  let url: string
  const authority = newAuthority('fedplane simulated Kubernetes CA')
  beforeAll(async () => {
    kubernetes = await startSimulatedKubernetes({ authority: await authority })
    fedplane = await startFedplane({ drivers: { enabledCluster: ['external@1'] } })
    api = new Api(fedplane.url)
    cluster = await api.create('/v1/clusters', { name: 'paris', kubeconfig: kubernetes.kubeconfig })
    await api.settled(`/v1/clusters/${cluster}`, 'CREATE_COMPLETE')
    const hook = await api.ask<{ url: string }>('POST', `/v1/clusters/${cluster}/hooks`, { name: 'alertmanager' })
    url = hook.body.url
  })
  afterAll(async () => {
    await fedplane.close()
    await kubernetes.close()
  })

  const post = async (body = '', headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(url, { method: 'POST', body, headers })).status
  const health = async () => (await api.get<ClusterView>(`/v1/clusters/${cluster}`)).health_status
  const becomes = (wanted: string) => expect.poll(health, { timeout: TIMEOUT_MS }).toBe(wanted)
  const idle = () =>
    expect
      .poll(async () => (await api.get<Request>(`/v1/clusters/${cluster}/actions/observe`)).state, {
        timeout: TIMEOUT_MS,
      })
      .toBe('idle')

  it('change the health of a cluster that stops and comes back, with an event each time', async () => {
    await api.ask('POST', `/v1/clusters/${cluster}/actions/observe`)
    await becomes('HEALTHY')
    await kubernetes.close()
    expect(await post('{"status":"firing"}', { 'content-type': 'application/json' })).toBe(202)
    await becomes('UNHEALTHY')
    const port = Number(new URL(kubernetes.server).port)
    kubernetes = await startSimulatedKubernetes({ port, authority: await authority, cluster: kubernetes.cluster })
    expect(await post('status=resolved', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(202)
    await becomes('HEALTHY')
    await expect
      .poll(async () => {
        const { events } = await api.get<Feed>('/v1/events')
        return events.filter(({ type }) => type === 'cluster.health.changed').map((event) => event.health)
      })
      .toEqual([
        { before: null, after: 'HEALTHY' },
        { before: 'HEALTHY', after: 'UNHEALTHY' },
        { before: 'UNHEALTHY', after: 'HEALTHY' },
      ])
    await idle()
  })

  it('are of nothing to web pages', async () => {
    expect(await post('', { origin: 'http://127.0.0.1:1' })).toBe(403)
    expect(await post('', { 'sec-fetch-site': 'cross-site' })).toBe(403)
  })

  it(`observe one at a time and have at most one more wait under ${POSTS} posts, of which few write`, async () => {
    const { clusters, observeRequests } = fedplane.ports.stores
    const { projectId } = (await clusters.locate({ projectId: '', allProjects: true }, cluster))!
    const writes = async () => (await observeRequests.get({ projectId, clusterId: cluster }))!.revision
    const before = await writes()
    const replacements = vi.spyOn(observeRequests, 'replace')
    const statuses: number[] = []
    const sender = async (): Promise<void> => {
      for (let count = 0; count < POSTS / SENDERS; count++) statuses.push(await post())
    }
    await Promise.all(Array.from({ length: SENDERS }, sender))
    expect(statuses.length).toBe(POSTS)
    await idle()
    expect(statuses.filter((status) => ![202, 429].includes(status))).toEqual([])
    expect(statuses.filter((status) => status === 202).length).toBeGreaterThan(0)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
    // What ended, from when to when; a write that met another one was tried again.
    const ends = replacements.mock.calls.filter(([read, next]) => read.begunAt !== null && next.begunAt === null)
    const observed = [...new Map(ends.map(([read, next]) => [String(read.begunAt), String(next.endedAt)]))].sort()
    expect(observed.filter(([begin], index) => index > 0 && begin < observed[index - 1]![1])).toEqual([])
    // Six at once, and one more in five seconds; each is asked for, begun and ended.
    expect(observed.length).toBeGreaterThan(0)
    expect(observed.length).toBeLessThan(30)
    expect((await writes()) - before).toBe(3 * observed.length)
    vi.restoreAllMocks()
  })
})
