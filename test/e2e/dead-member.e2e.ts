import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StartedCluster } from '../../local/clusters/started-cluster.ts'
import type { ClusterSet } from '../../local/clusters/take-clusters.ts'
import { Api, type ClusterView, type FederationView } from '../../local/demo/api.ts'
import { profilesOf, removeRemains } from '../../local/demo/observe.ts'
import { createLogger } from '../../local/logger.ts'
import { type Fedplane, startFedplane } from '../../local/server.ts'
import { adminClients, startTestClusters } from './support/clusters.ts'
import {
  deleteFederation,
  expectNothingLeft,
  federate,
  federationPath,
  registerAll,
  remains,
  remove,
} from './support/stories.ts'

/** Longest time that an unjoin of a dead member may take, milliseconds: `member-unjoin` waits 60 s in all, the rest is for a busy machine. */
const BOUND_MS = 150_000

describe('a member whose API server is dead', () => {
  let set: ClusterSet<StartedCluster>
  let fedplane: Fedplane
  let api: Api
  let admins: ReturnType<typeof adminClients>
  let clusters: ClusterView[]

  beforeAll(async () => {
    set = await startTestClusters(2)
    fedplane = await startFedplane({ log: createLogger({ level: 'silent' }) })
    api = new Api(fedplane.url)
    admins = adminClients(set.clusters)
    clusters = await registerAll(api, set.clusters)
  })
  afterAll(async () => {
    admins?.close()
    await fedplane?.close()
    await set?.close()
  })

  it('ends as UPDATE_FAILED in bounded time; force removes it and lists what stays', {
    timeout: 2 * BOUND_MS,
  }, async () => {
    const [host, member] = clusters
    const { uuid } = await federate(api, { name: 'dead', hostcluster_id: host!.uuid, member_ids: [member!.uuid] })
    const made = await remains(admins.clients, uuid)
    await set.clusters[1]!.kill()

    const begun = Date.now()
    await remove(api, uuid, [member!.uuid])
    const failed = await api.settled<FederationView>(federationPath(uuid), 'UPDATE_FAILED')
    expect(Date.now() - begun).toBeLessThan(BOUND_MS)
    expect(failed.status_reason).toContain(member!.name)
    expect(failed.members).toMatchObject([{ state: 'UnjoinFailed', cluster_id: member!.uuid }])
    expect(failed.member_ids).toEqual([member!.uuid])

    await remove(api, uuid, [member!.uuid], { force: true })
    const forced = await api.settled<FederationView>(federationPath(uuid), 'UPDATE_COMPLETE')
    expect(forced.member_ids).toEqual([])
    expect(forced.members).toEqual([])
    expect(await profilesOf(admins.clients[0]!, uuid), 'published in the host').toEqual([])
    const told = JSON.stringify(await api.get(`${federationPath(uuid)}/events`)) + forced.status_reason
    expect(told).toContain('ServiceAccount')
    expect(told, 'which credential stays valid').toMatch(/token stays valid/)

    await set.clusters[1]!.revive()
    const [, left] = await remains(admins.clients, uuid)
    expect(left, 'what was listed is there').toEqual(made[1])
    for (const text of left!.filter((entry) => !entry.startsWith('Secret'))) expect(told).toContain(text.split(' ')[0])
    await removeRemains(admins.clients[1]!, uuid)
    await deleteFederation(api, uuid)
    await expectNothingLeft(admins.clients, uuid)
  })
})
