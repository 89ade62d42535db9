import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { renewDue } from '../../functions/workers/renewals/renew.ts'
import type { ClusterSet } from '../../local/clusters/take-clusters.ts'
import { Api, type ClusterView } from '../../local/demo/api.ts'
import { consumerClient, namespacesSeenBy, profilesOf, remainsOf, usableViewRole } from '../../local/demo/observe.ts'
import { type Fedplane, startFedplane } from '../../local/server.ts'
import { adminClients, startTestClusters } from './support/clusters.ts'
import { deleteFederation, federate, federationPath, registerAll, remains } from './support/stories.ts'

const Member = z.object({
  state: z.string(),
  credential: z.object({ kind: z.string(), expires_at: z.string(), renew_after: z.string() }),
})

describe('API servers without controllers', () => {
  let set: ClusterSet
  let fedplane: Fedplane
  let api: Api
  let admins: ReturnType<typeof adminClients>
  let clusters: ClusterView[]

  beforeAll(async () => {
    set = await startTestClusters(2, { controllers: false })
    fedplane = await startFedplane()
    api = new Api(fedplane.url)
    admins = adminClients(set.clusters)
    clusters = await registerAll(api, set.clusters)
  })
  afterAll(async () => {
    admins?.close()
    await fedplane?.close()
    await set?.close()
  })

  const publishedToken = async (federationId: string): Promise<string> => {
    const [profile] = await profilesOf(admins.clients[0]!, federationId)
    const secrets = { group: '', version: 'v1', plural: 'secrets', namespace: profile!.metadata.namespace }
    const secret = await admins.clients[0]!.get(secrets, profile!.metadata.name)
    return z.object({ data: z.object({ token: z.string() }) }).parse(secret).data.token
  }

  it('join with a token that expires, and renew it when it is due', async () => {
    const [host, member] = clusters
    const { uuid } = await federate(api, {
      name: 'bare',
      hostcluster_id: host!.uuid,
      member_ids: [member!.uuid],
      properties: { 'member-role': await usableViewRole(admins.clients) },
    })
    const memberPath = `${federationPath(uuid)}/members/${member!.uuid}`
    const before = Member.parse(await api.get(memberPath))
    expect(before).toMatchObject({ state: 'Ready', credential: { kind: 'token-request' } })
    expect(Date.parse(before.credential.renew_after)).toBeLessThan(Date.parse(before.credential.expires_at))
    const first = await publishedToken(uuid)

    const { memberships, commit } = fedplane.ports.stores
    const membership = (await memberships.get({ projectId: 'local', federationId: uuid, clusterId: member!.uuid }))!
    const due = new Date(Date.now() - 1000).toISOString()
    await commit([
      memberships.replace(membership, { ...membership, credential: { ...membership.credential!, renewAfter: due } }),
    ])
    expect(await renewDue(fedplane.ports)).toBe(1)
    await api.until(
      () => api.get(memberPath),
      (seen) => Date.parse(Member.parse(seen).credential.renew_after) > Date.now(),
    )
    expect(await renewDue(fedplane.ports), 'nothing is due any more').toBe(0)

    expect(await publishedToken(uuid), 'the published token').not.toBe(first)
    const [profile] = await profilesOf(admins.clients[0]!, uuid)
    const consumer = await consumerClient(admins.clients[0]!, profile!)
    expect(await namespacesSeenBy(consumer)).toContain('kube-system')
    consumer.close()

    await deleteFederation(api, uuid)
    expect(await remains(admins.clients, uuid)).toEqual([[], []])
    const waiting = await Promise.all(admins.clients.map((client) => remainsOf(client, uuid)))
    expect(
      waiting.flat().every(({ terminating }) => terminating),
      'only empty namespaces that stay Terminating',
    ).toBe(true)
    expect(waiting.flat()).toHaveLength(2)
  })
})
