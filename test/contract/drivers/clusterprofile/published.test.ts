import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterProfileDriver } from '../../../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { profiles } from '../../../../functions/drivers/federation/clusterprofile/v1/names.ts'
import { inventoryNamespace } from '../../../../functions/drivers/federation/clusterprofile/v1/schema.ts'
import { ConnectTimedOut } from '../../../../functions/kubernetes/errors.ts'
import { clusterRoleBindings, namespaces, roles, secrets } from '../../../../functions/kubernetes/resources.ts'
import { CallBudget } from '../../../support/drivers/call-budget.ts'
import { FederationLife } from '../../../support/drivers/federation-life.ts'
import { labelled, resourceOf } from '../../../support/drivers/objects.ts'
import { type SimulatedClusters, simulatedClusters } from '../../../support/drivers/simulated.ts'
import { connect, type TestCluster, unreachable } from '../../../support/drivers/test-cluster.ts'
import { untilDone } from '../../../support/drivers/until-done.ts'
import { checkInventory } from '../inventory-conformance.ts'

const CRD_OF_ABOUT = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'clusterproperties.about.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/1113' },
  },
  spec: {
    group: 'about.k8s.io',
    scope: 'Cluster',
    names: {
      kind: 'ClusterProperty',
      listKind: 'ClusterPropertyList',
      plural: 'clusterproperties',
      singular: 'clusterproperty',
    },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { value: { type: 'string' } } } },
          },
        },
      },
    ],
  },
}
const ABOUT = { group: 'about.k8s.io', version: 'v1beta1', plural: 'clusterproperties' }
const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' }

describe('what clusterprofile@1 publishes', () => {
  let lab: SimulatedClusters
  let [host, paris]: TestCluster[] = []
  let fed: FederationLife
  const budget = new CallBudget()
  const toHost = () => host!.access(budget)
  const toParis = () => paris!.access(budget)
  const profileIn = (namespace: string, name: string) => host!.admin.get(profiles('v1alpha1', namespace), name)

  beforeAll(async () => {
    lab = await simulatedClusters(['host', 'paris'])
    ;[host, paris] = lab.clusters
    await paris!.admin.apply(CRDS, CRD_OF_ABOUT)
    await untilDone(async () => ({
      done: (await paris!.admin.raw('/apis/about.k8s.io/v1beta1')).status === 200,
      waitingFor: 'about-api',
    }))
    await paris!.admin.apply(ABOUT, {
      apiVersion: 'about.k8s.io/v1beta1',
      kind: 'ClusterProperty',
      metadata: { name: 'cluster.clusterset.k8s.io' },
      spec: { value: 'paris.example' },
    })
    fed = new FederationLife({ driver: clusterProfileDriver(), host: toHost, connect })
    await fed.create()
    await fed.join(toParis)
  })
  afterAll(() => lab.close())

  it('passes the ten conformance checks', async () => {
    const checks = await checkInventory(host!.admin, inventoryNamespace(fed.federation.id), 'fedplane')
    expect(checks.filter(({ passed }) => !passed)).toEqual([])
    expect(checks).toHaveLength(10)
  })

  it('fails the checks for a manager that has no profile', async () => {
    const checks = await checkInventory(host!.admin, inventoryNamespace(fed.federation.id), 'nobody')
    expect(checks.filter(({ passed }) => passed).map(({ id }) => id)).toEqual([1, 2, 7])
  })

  it('says who the member is, where it is and how it is', async () => {
    const profile = await profileIn(inventoryNamespace(fed.federation.id), 'paris')
    expect(profile?.metadata.labels).toMatchObject({
      'x-k8s.io/cluster-manager': 'fedplane',
      'multicluster.x-k8s.io/inventory-member-id': paris!.cluster.identity?.uid,
      'fedplane.io/federation': fed.federation.id,
    })
    expect(profile?.spec).toEqual({ displayName: 'paris', clusterManager: { name: 'fedplane' } })
    expect(profile?.status).toMatchObject({
      conditions: [
        { type: 'ControlPlaneHealthy', status: 'True', reason: 'HealthCheckSucceeded' },
        { type: 'Joined', status: 'True', reason: 'ClusterRegistered' },
      ],
      version: { kubernetes: (await paris!.admin.version()).gitVersion },
      properties: [
        { name: 'cluster.clusterset.k8s.io', value: 'paris.example' },
        { name: 'fedplane.io/cluster', value: paris!.cluster.id },
      ],
      accessProviders: [
        {
          name: 'secretreader',
          cluster: {
            server: paris!.connection.server,
            'certificate-authority-data': Buffer.from(paris!.connection.caPem ?? '').toString('base64'),
            extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { clusterName: 'paris' } }],
          },
        },
      ],
    })
  })

  it('stores a token that works as the secretreader plugin reads it, with the rights of the role only', async () => {
    const secret = await host!.admin.get(secrets(inventoryNamespace(fed.federation.id)), 'paris')
    const { token } = (secret?.data ?? {}) as { token: string }
    const text = Buffer.from(token, 'base64').toString('utf8')
    const { Secret } = await import('../../../../functions/core/values/secret.ts')
    const client = connect({ ...paris!.connection, credential: { kind: 'token', token: new Secret(text) } })
    expect(text).toBe(text.trim())
    expect(
      (await client.list({ group: '', version: 'v1', plural: 'configmaps', namespace: 'default' })).items,
    ).toBeDefined()
    await expect(client.list(secrets('default'))).rejects.toMatchObject({ name: 'PermissionDenied' })
    client.close()
  })

  it('names an endpoint at which the profiles are', async () => {
    const endpoint = await fed.driver.endpoint(fed.context())
    const { pathname } = new URL(endpoint ?? '')
    expect((await host!.admin.raw(pathname)).status).toBe(200)
  })

  it('keeps what is known of a member that can not be reached any more', async () => {
    const before = (await profileIn(inventoryNamespace(fed.federation.id), 'paris'))?.status
    const gone = new ConnectTimedOut('No connection to paris within 3 s.')
    const member = unreachable({ ...paris!.cluster, observation: null }, gone)
    budget.reset()
    await fed.driver.registerMember({ ...fed.memberContext(toParis), member })
    expect(budget.writes).toEqual([])
    await fed.driver.refreshMember?.({ ...fed.memberContext(toParis), member })
    const seen = (await profileIn(inventoryNamespace(fed.federation.id), 'paris'))?.status
    const health = expect.objectContaining({ status: 'Unknown', reason: 'ConnectTimedOut' })
    const [, joined] = (before as { conditions: unknown[] }).conditions
    expect(seen).toEqual({ ...(before as object), conditions: [health, joined] })
    await fed.driver.refreshMember?.(fed.memberContext(toParis))
    const again = (await profileIn(inventoryNamespace(fed.federation.id), 'paris'))?.status
    expect(again).toMatchObject({ conditions: [{ status: 'True' }, { status: 'True' }] })
  })

  it('follows the property consumer-namespaces, without needing the members', async () => {
    for (const name of ['argocd', 'kueue-system']) {
      await host!.admin.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    }
    await fed.update({ 'consumer-namespaces': 'argocd, kueue-system' })
    const short = fed.federation.id.replaceAll('-', '').slice(-10)
    const copy = await profileIn('kueue-system', `paris-${short}`)
    expect(copy?.status).toMatchObject({
      conditions: [{ status: 'True' }, { status: 'True' }],
      accessProviders: [{ cluster: { extensions: [{ extension: { clusterName: `paris-${short}` } }] } }],
    })
    expect(await fed.driver.observeMember(fed.memberContext(toParis))).toEqual({ state: 'ready' })
    // What a consumer makes of a profile, with its labels; in its own namespace even under its name.
    const { labels = {} } = copy?.metadata ?? {}
    const theirs = [
      { namespace: 'kueue-system', name: 'multikueue-paris' },
      { namespace: 'default', name: `paris-${short}` },
    ]
    for (const { namespace, name } of theirs) {
      const metadata = { namespace, name, labels }
      await host!.admin.create(secrets(namespace), { apiVersion: 'v1', kind: 'Secret', metadata })
    }
    await fed.update({ 'consumer-namespaces': 'argocd' })
    for (const { namespace, name } of theirs) {
      expect(await host!.admin.get(secrets(namespace), name)).toBeDefined()
      await host!.admin.delete(secrets(namespace), name)
    }
    expect(await profileIn('kueue-system', `paris-${short}`)).toBeUndefined()
    expect(await host!.admin.get(secrets('kueue-system'), `paris-${short}`)).toBeUndefined()
    budget.reset()
    await fed.update({ 'consumer-namespaces': 'argocd' })
    expect(budget.writes).toEqual([])
  })

  it('sees that a copy is missing', async () => {
    const short = fed.federation.id.replaceAll('-', '').slice(-10)
    await host!.admin.delete(profiles('v1alpha1', 'argocd'), `paris-${short}`)
    expect(await fed.driver.observeMember(fed.memberContext(toParis))).toMatchObject({
      state: 'not-ready',
      reason: 'NotPublished',
    })
    await fed.register(toParis)
    expect(await fed.driver.observeMember(fed.memberContext(toParis))).toEqual({ state: 'ready' })
  })

  it('sees that another token is published', async () => {
    await host!.admin.patch(secrets(inventoryNamespace(fed.federation.id)), 'paris', { data: { token: 'b3RoZXI=' } })
    expect(await fed.driver.observeMember(fed.memberContext(toParis))).toMatchObject({ reason: 'TokenDiffers' })
    await fed.register(toParis)
  })

  it.each([
    ['profile', 'ClusterProfile'],
    ['token', 'Secret'],
    ['inventory', 'Namespace'],
  ])('makes the %s again that somebody deleted in the host', async (_, kind) => {
    const ref = [...fed.memberContext(toParis).membership.made, ...fed.federation.made].find(
      (it) => it.where === 'host' && it.kind === kind,
    )
    const observe = async () => (await fed.driver.observeMade?.(fed.memberContext(toParis))) ?? []
    expect(await observe()).toEqual([])
    await host!.admin.delete(resourceOf(ref!), ref!.name)
    await expect.poll(observe, { timeout: 15_000 }).toEqual([expect.stringMatching(/missing|does not hold/)])
    await fed.rotate(toParis)
    expect(await observe()).toEqual([])
    expect(await host!.admin.get(roles(inventoryNamespace(fed.federation.id)), 'inventory-reader')).toBeDefined()
  })

  it('says when the way to a member was edited, and writes it again', async () => {
    const { namespace, name } = { namespace: inventoryNamespace(fed.federation.id), name: 'paris' }
    const profile = await profileIn(namespace, name)
    const { apiVersion, kind, status } = profile as NonNullable<typeof profile>
    const edited = JSON.parse(JSON.stringify(status).replace(/https:[^"]*/, 'https://edited.example'))
    const options = { fieldManager: 'somebody', subresource: 'status' } as const
    await host!.admin.apply(
      profiles('v1alpha1', namespace),
      { apiVersion, kind, metadata: { name, namespace }, status: edited },
      options,
    )
    expect(await fed.driver.observeMade?.(fed.memberContext(toParis))).toEqual([
      expect.stringContaining('does not say how the member is reached'),
    ])
    await fed.rotate(toParis)
    expect(await fed.driver.observeMade?.(fed.memberContext(toParis))).toEqual([])
  })

  it('follows the property member-role', async () => {
    await fed.update({ 'consumer-namespaces': 'argocd', 'member-role': 'edit' })
    const name = `fedplane-${fed.federation.id.replaceAll('-', '').slice(-10)}`
    const binding = await paris!.admin.get(
      { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' },
      name,
    )
    expect(binding?.roleRef).toMatchObject({ name: 'edit' })
  })

  it('refuses a member-role or consumer namespace that does not exist, before anything is changed', async () => {
    const before = fed.federation.properties
    const binding = () =>
      paris!.admin.get(clusterRoleBindings, `fedplane-${fed.federation.id.replaceAll('-', '').slice(-10)}`)
    const bound = await binding()
    budget.reset()
    await expect(fed.update({ ...before, 'member-role': 'nobody' })).rejects.toMatchObject({
      name: 'PreflightFailed',
      message: expect.stringMatching(/MemberRoleMissing \(member paris\): ClusterRole nobody/),
    })
    await expect(fed.update({ 'member-role': 'view', 'consumer-namespaces': 'nowhere' })).rejects.toThrow(
      /ConsumerNamespaceMissing \(host\): Namespace nowhere/,
    )
    expect([budget.writes, await binding()]).toEqual([[], bound])
    const check = {
      ...fed.memberContext(toParis),
      federation: { ...fed.federation, properties: { 'member-role': 'nobody' } },
    }
    expect((await fed.driver.checkUpdate?.member(check))?.findings).toMatchObject([
      { severity: 'error', reason: 'MemberRoleMissing' },
    ])
    await fed.update(before)
  })

  it('waits for a consumer whose finalizer holds a profile, naming it', async () => {
    const namespace = inventoryNamespace(fed.federation.id)
    await host!.admin.patch(profiles('v1alpha1', namespace), 'paris', {
      metadata: { finalizers: ['argoproj.io/held'] },
    })
    const context = fed.memberContext(toParis)
    const seen = await fed.driver.deregisterMember(context)
    expect(seen).toMatchObject({ done: false, waitingFor: expect.stringMatching(/paris.*argoproj\.io\/held/) })
    expect(await host!.admin.get(secrets(namespace), 'paris')).toBeUndefined()
    await host!.admin.patch(profiles('v1alpha1', namespace), 'paris', { metadata: { finalizers: null } })
    await fed.unjoin(toParis)
    await fed.delete()
    expect(await labelled(host!.admin, fed.federation.id)).toEqual([])
  })
})
