import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shortId } from '../../functions/core/values/ids.ts'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import { CredentialRejected, PermissionDenied } from '../../functions/kubernetes/errors.ts'
import type { ClusterSet } from '../../local/clusters/take-clusters.ts'
import { consumerClient, namespacesSeenBy, profilesOf } from '../../local/demo/observe.ts'
import { type Fedplane, startFedplane } from '../../local/server.ts'
import { Api, ApiRefused, type ClusterView } from '../support/api/api.ts'
import { adminClients, takeClusters } from './support/clusters.ts'
import {
  clusterPath,
  deleteFederation,
  expectNothingLeft,
  federate,
  federationPath,
  forgetClusters,
  join,
  registerAll,
  remains,
  unjoin,
} from './support/stories.ts'

const SECRETS = { group: '', version: 'v1', plural: 'secrets' }
const CONFIG_MAPS = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' }

const RBAC = 'rbac.authorization.k8s.io'
const CLUSTER_ROLE_BINDINGS = { group: RBAC, version: 'v1', plural: 'clusterrolebindings' }
const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1' }
const POLICIES = { ...ADMISSION, plural: 'validatingadmissionpolicies' }
const POLICY_BINDINGS = { ...ADMISSION, plural: 'validatingadmissionpolicybindings' }
const POLICY = 'demand-label'

type DryRun = { would_succeed: boolean; findings: { reason: string; message: string }[] }

/** Has the cluster refuse what these federations bind there, and no others, without this label. */
const demandLabel = async (client: KubernetesClient, label: string, federations: readonly string[]): Promise<void> => {
  const object = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: POLICY } }
  const resourceRules = [
    { apiGroups: [RBAC], apiVersions: ['v1'], operations: ['CREATE'], resources: ['clusterrolebindings'] },
  ]
  const names = federations.map((id) => `'fedplane-${shortId(id)}'`)
  const ours = { name: 'ours', expression: `object.metadata.name in [${names.join(', ')}]` }
  const expression = `has(object.metadata.labels) && '${label}' in object.metadata.labels`
  const validations = [{ expression, message: `bindings need the label ${label}` }]
  await client.create(POLICIES, {
    ...object,
    kind: 'ValidatingAdmissionPolicy',
    spec: { failurePolicy: 'Fail', matchConstraints: { resourceRules }, matchConditions: [ours], validations },
  })
  await client.create(POLICY_BINDINGS, {
    ...object,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: { policyName: POLICY, validationActions: ['Deny'] },
  })
}

const demandNothing = async (client: KubernetesClient): Promise<void> => {
  await client.delete(POLICY_BINDINGS, POLICY)
  await client.delete(POLICIES, POLICY)
}

/** Each story has a federation of its own, on the same clusters at the same time. */
describe.concurrent('federating real clusters', () => {
  let set: ClusterSet
  let fedplane: Fedplane
  let api: Api
  let admins: ReturnType<typeof adminClients>
  let host: KubernetesClient
  let clusters: ClusterView[]

  beforeAll(async () => {
    set = await takeClusters(3)
    fedplane = await startFedplane()
    api = new Api(fedplane.url)
    admins = adminClients(set.clusters)
    host = admins.clients[0]!
    clusters = await registerAll(api, set.clusters)
  })
  afterAll(async () => {
    if (clusters)
      await forgetClusters(
        api,
        clusters.map(({ uuid }) => uuid),
      )
    admins?.close()
    await fedplane?.close()
    await set?.close()
  })

  it('publishes each member with a credential of least rights, and leaves nothing', async ({ expect }) => {
    const [hostCluster, ...members] = clusters
    const memberIds = members.map(({ uuid }) => uuid)
    const federation = await federate(api, { name: 'least', hostcluster_id: hostCluster!.uuid })
    const joined = await join(api, federation.uuid, memberIds)
    expect(joined.members.map(({ state }) => state)).toEqual(['Ready', 'Ready'])
    expect([...joined.member_ids].sort()).toEqual([...memberIds].sort())

    const profiles = await profilesOf(host, federation.uuid)
    expect(profiles.map(({ metadata }) => metadata.name).sort()).toEqual(members.map(({ name }) => name).sort())
    for (const profile of profiles) {
      const view = members.find(({ name }) => name === profile.metadata.name)
      expect(profile.status.accessProviders[0]?.cluster.server).toBe(view?.api_address)
      expect(profile.status.version?.kubernetes).toBe(view?.coe_version)
      expect(profile.status.conditions).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ type: 'ControlPlaneHealthy', status: 'True' }),
          expect.objectContaining({ type: 'Joined', status: 'True' }),
        ]),
      )
    }

    const consumer = await consumerClient(host, profiles[0]!)
    try {
      expect(await namespacesSeenBy(consumer)).toContain('kube-system')
      await expect(consumer.list(SECRETS)).rejects.toBeInstanceOf(PermissionDenied)
      const intruder = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'intruder' } }
      await expect(consumer.create(CONFIG_MAPS, intruder)).rejects.toBeInstanceOf(PermissionDenied)

      await expect(api.delete(clusterPath(memberIds[0]!))).rejects.toMatchObject({ status: 409 })
      await unjoin(api, federation.uuid, memberIds)
      await expectNothingLeft(admins.clients.slice(1), federation.uuid)
      // A real API server remembers a token that it has accepted for up to 10 s.
      await expect
        .poll(() => namespacesSeenBy(consumer).catch((error: unknown) => error), { timeout: 240_000, interval: 500 })
        .toBeInstanceOf(CredentialRejected)
    } finally {
      consumer.close()
    }
    await deleteFederation(api, federation.uuid)
    await expectNothingLeft(admins.clients, federation.uuid)
  })

  it('lets two federations share host and member, each removing only its own', async () => {
    const [hostCluster, member] = clusters
    const body = { hostcluster_id: hostCluster!.uuid, member_ids: [member!.uuid] }
    const [first, second] = await Promise.all([
      federate(api, { name: 'first', ...body }),
      federate(api, { name: 'second', ...body }),
    ])
    const uses = (await api.get<ClusterView>(clusterPath(member!.uuid))).federations
    expect(uses).toEqual(expect.arrayContaining([first, second].map(({ uuid }) => ({ uuid, role: 'member' }))))
    const before = await remains(admins.clients, second.uuid)
    expect(before.map((list) => list.length > 0)).toEqual([true, true, false])

    await deleteFederation(api, first.uuid)
    await expectNothingLeft(admins.clients, first.uuid)
    expect(await remains(admins.clients, second.uuid)).toEqual(before)
    const [profile] = await profilesOf(host, second.uuid)
    const consumer = await consumerClient(host, profile!)
    expect(await namespacesSeenBy(consumer)).toContain('kube-system')
    consumer.close()

    await deleteFederation(api, second.uuid)
    await expectNothingLeft(admins.clients, second.uuid)
  })

  it('re-joins at once what has just left', async () => {
    const [hostCluster, member] = clusters
    const { uuid } = await federate(api, {
      name: 'again',
      hostcluster_id: hostCluster!.uuid,
      member_ids: [member!.uuid],
    })
    await unjoin(api, uuid, [member!.uuid])
    const joined = await join(api, uuid, [member!.uuid])
    expect(joined.members).toMatchObject([{ state: 'Ready', reason: null }])
    await deleteFederation(api, uuid)
    await expectNothingLeft(admins.clients, uuid)
  })

  it('has a leaked credential refused before its replacement is published', async ({ expect }) => {
    const [hostCluster, member] = clusters
    const body = { hostcluster_id: hostCluster!.uuid, member_ids: [member!.uuid] }
    const { uuid } = await federate(api, { name: 'leaky', ...body })
    const [before] = await profilesOf(host, uuid)
    const leaked = await consumerClient(host, before!)
    try {
      expect(await namespacesSeenBy(leaked)).toContain('kube-system')
      await api.ask('POST', `${federationPath(uuid)}/members/${member!.uuid}/actions/rotate`, {})
      const events = () => api.get<{ events: { reason: string }[] }>(`${federationPath(uuid)}/events`)
      const reasons = async () => (await events()).events.map(({ reason }) => reason)
      await expect.poll(reasons, { timeout: 240_000, interval: 500 }).toContain('Rotated')
      await expect(namespacesSeenBy(leaked)).rejects.toBeInstanceOf(CredentialRejected)
      const [after] = await profilesOf(host, uuid)
      const consumer = await consumerClient(host, after!)
      expect(await namespacesSeenBy(consumer)).toContain('kube-system')
      consumer.close()
    } finally {
      leaked.close()
    }
    await deleteFederation(api, uuid)
    await expectNothingLeft(admins.clients, uuid)
  })

  it('hears admission before it makes anything, and gives its objects the labels that it asks for', async ({
    expect,
  }) => {
    const [hostCluster, , member] = clusters
    const admin = admins.clients[2]!
    const body = { hostcluster_id: hostCluster!.uuid }
    const [plain, labelled] = await Promise.all([
      federate(api, { name: 'unlabelled', ...body }),
      federate(api, { name: 'labelled', ...body, properties: { 'object-labels': 'owner=platform' } }),
    ])
    await demandLabel(admin, 'owner', [plain.uuid, labelled.uuid])
    try {
      const add = [{ op: 'add', path: '/member_ids', value: member!.uuid }]
      const dryRun = () =>
        api.ask<DryRun>('PATCH', `${federationPath(plain.uuid)}?dry_run=true`, add).then(({ body: answer }) => answer)
      // A policy is in force some seconds after it is there.
      await expect.poll(async () => (await dryRun()).would_succeed, { timeout: 240_000, interval: 500 }).toBe(false)
      const refused = (await dryRun()).findings.filter(({ reason }) => reason === 'AdmissionRefused')
      expect(refused).toMatchObject([{ message: expect.stringMatching(/ClusterRoleBinding .*need the label owner/) }])

      expect((await join(api, labelled.uuid, [member!.uuid])).members).toMatchObject([{ state: 'Ready' }])
      const [binding] = (await admin.list(CLUSTER_ROLE_BINDINGS, { labelSelector: 'owner=platform' })).items
      expect(binding?.metadata.labels).toMatchObject({ 'fedplane.io/federation': labelled.uuid })
      await Promise.all([deleteFederation(api, labelled.uuid), deleteFederation(api, plain.uuid)])
    } finally {
      await demandNothing(admin)
    }
    await expectNothingLeft(admins.clients, labelled.uuid)
    await expectNothingLeft(admins.clients, plain.uuid)
  })

  it('refuses what makes no sense', async () => {
    const [hostCluster, member] = clusters
    const { uuid } = await federate(api, { name: 'strict', hostcluster_id: hostCluster!.uuid })
    const remove = [{ op: 'remove', path: '/member_ids', value: member!.uuid }]
    await expect(api.patch(federationPath(uuid), remove)).rejects.toBeInstanceOf(ApiRefused)
    await expect(api.delete(clusterPath(hostCluster!.uuid))).rejects.toMatchObject({ status: 409 })
    await deleteFederation(api, uuid)
  })
})
