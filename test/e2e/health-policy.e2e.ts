import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { profiles } from '../../functions/drivers/federation/clusterprofile/v1/names.ts'
import { inventoryNamespace } from '../../functions/drivers/federation/clusterprofile/v1/schema.ts'
import { memberObjectName } from '../../functions/drivers/support/member/tokens.ts'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import { namespaces, serviceAccounts } from '../../functions/kubernetes/resources.ts'
import type { StartedCluster } from '../../local/clusters/started-cluster.ts'
import type { ClusterSet } from '../../local/clusters/take-clusters.ts'
import { createLogger } from '../../local/logger.ts'
import { type Fedplane, startFedplane } from '../../local/server.ts'
import { Api, type ClusterView, type FederationView } from '../support/api/api.ts'
import { until } from '../support/local/engine-lab.ts'
import { adminClients, startTestClusters } from './support/clusters.ts'
import {
  clusterPath,
  deleteFederation,
  expectNothingLeft,
  federate,
  federationPath,
  registerAll,
  remains,
} from './support/stories.ts'

/** Longest wait for two minutes' sweeps on a busy machine, milliseconds. */
const SWEEPS_MS = 240_000

type Conditions = { conditions: { type: string; reason: string }[] }
type Federation = FederationView & { left_unhealthy_ids: string[] }

describe('health drives membership (real API servers)', () => {
  let set: ClusterSet<StartedCluster>
  let fedplane: Fedplane
  let api: Api
  let admins: ReturnType<typeof adminClients>
  let host: ClusterView
  let member: ClusterView
  let federation: string

  beforeAll(async () => {
    set = await startTestClusters(2)
    fedplane = await startFedplane({ log: createLogger({ level: 'silent' }) })
    api = new Api(fedplane.url)
    admins = adminClients(set.clusters)
    const [first, second] = await registerAll(api, set.clusters)
    if (first === undefined || second === undefined) throw new Error('two clusters are needed')
    ;[host, member] = [first, second]
    federation = (await federate(api, { name: 'led', hostcluster_id: host.uuid, member_ids: [member.uuid] })).uuid
  })
  afterAll(async () => {
    admins?.close()
    await fedplane?.close()
    await set?.close()
  })

  const started = (): StartedCluster => {
    const [, cluster] = set.clusters
    if (cluster === undefined) throw new Error('there is no member')
    return cluster
  }
  /** Asked to look, since a healthy cluster is checked each fifth minute only. */
  const seenAs = (isSeen: (cluster: ClusterView & Conditions) => boolean) =>
    until(async () => {
      const cluster = await api.get<ClusterView & Conditions>(clusterPath(member.uuid))
      if (isSeen(cluster)) return true
      await api.ask('POST', `${clusterPath(member.uuid)}/actions/observe`).catch(() => undefined)
      return false
    }, SWEEPS_MS)
  const federationIs = (holds: (seen: Federation) => boolean) =>
    until(async () => holds(await api.get<Federation>(federationPath(federation))), SWEEPS_MS)
  const isQuarantined = ({ conditions }: Conditions): boolean => conditions.some(({ type }) => type === 'Quarantined')

  it('an account that somebody deletes in a member, and its profile in the host, are made again', {
    timeout: 2 * SWEEPS_MS,
  }, async () => {
    const [atHost, atMember] = admins.clients as [KubernetesClient, KubernetesClient]
    const space = memberObjectName(federation)
    const account = async () => (await atMember.get(serviceAccounts(space), space))?.metadata.uid
    const profile = async () => {
      const name = (await api.get<Federation>(federationPath(federation))).members[0]?.name ?? ''
      return atHost.get(profiles('v1alpha1', inventoryNamespace(federation)), name)
    }
    const before = [await account(), (await profile())?.metadata.uid]
    await atMember.delete(serviceAccounts(space), space)
    await atHost.delete(namespaces, inventoryNamespace(federation))
    await until(async () => {
      await api.ask('POST', `${clusterPath(member.uuid)}/actions/observe`).catch(() => undefined)
      const now = [await account(), (await profile())?.metadata.uid]
      return now.every((uid, at) => uid !== undefined && uid !== before[at])
    }, SWEEPS_MS)
    await federationIs(({ members }) => members[0]?.state === 'Ready')
  })

  it('an address for peers that changes is in the profile', async () => {
    const [atHost] = admins.clients as [KubernetesClient]
    const moved = 'https://moved.example:6443'
    await api.patch(clusterPath(member.uuid), [{ op: 'add', path: '/server_for_peers', value: moved }])
    await until(async () => {
      const { items } = await atHost.list(profiles('v1alpha1', inventoryNamespace(federation)))
      return JSON.stringify(items).includes(moved)
    }, SWEEPS_MS)
    await api.patch(clusterPath(member.uuid), [{ op: 'remove', path: '/server_for_peers' }])
  })

  it('a member that stops leaves, and joins again by itself when it is back', { timeout: 4 * SWEEPS_MS }, async () => {
    await api.patch(federationPath(federation), [
      { op: 'replace', path: '/on_unhealthy', value: 'unjoin' },
      { op: 'replace', path: '/after_seconds', value: 0 },
    ])
    await started().kill()
    await seenAs(({ health_status }) => health_status === 'UNHEALTHY')
    await federationIs(({ members, left_unhealthy_ids: left }) => members.length === 0 && left[0] === member.uuid)
    await started().revive()
    await seenAs(({ health_status }) => health_status === 'HEALTHY')
    await federationIs(({ members, left_unhealthy_ids: left }) => members[0]?.state === 'Ready' && left.length === 0)
    expect((await remains(admins.clients, federation))[1]).not.toEqual([])
  })

  it('another cluster at its address is quarantined, and nothing is written into it', {
    timeout: 4 * SWEEPS_MS,
  }, async () => {
    await api.patch(federationPath(federation), [{ op: 'replace', path: '/on_unhealthy', value: 'keep' }])
    await started().kill()
    await started().replace()
    await seenAs(isQuarantined)
    await federationIs(({ members }) => members[0]?.reason === 'ClusterQuarantined')
    await expect(
      api.create('/v1/federations', { name: 'second', hostcluster_id: host.uuid, member_ids: [member.uuid] }),
    ).rejects.toMatchObject({ status: 409, message: expect.stringContaining('quarantined') })
    expect((await remains(admins.clients, federation))[1]).toEqual([])

    await started().kill()
    await started().revive()
    await seenAs((cluster) => cluster.health_status === 'HEALTHY' && !isQuarantined(cluster))
    await federationIs(({ members }) => members[0]?.state === 'Ready')
    await deleteFederation(api, federation)
    await expectNothingLeft(admins.clients, federation)
  })
})
