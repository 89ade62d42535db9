import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../../functions/core/values/secret.ts'
import type { ClusterAccess } from '../../../../functions/drivers/contract/cluster-access.ts'
import type { FederationContext } from '../../../../functions/drivers/contract/federation-driver.ts'
import { crdManifest } from '../../../../functions/drivers/federation/clusterprofile/v1/crd/manifest.ts'
import { clusterProfileV1 } from '../../../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { PROFILE_CRD, profiles } from '../../../../functions/drivers/federation/clusterprofile/v1/names.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { ConnectFailed } from '../../../../functions/kubernetes/errors.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  serviceAccounts,
} from '../../../../functions/kubernetes/resources.ts'
import { FederationLife } from '../../../support/drivers/federation-life.ts'
import { type SimulatedClusters, simulatedClusters } from '../../../support/drivers/simulated.ts'
import { connect, type TestCluster, unreachable } from '../../../support/drivers/test-cluster.ts'
import { untilDone } from '../../../support/drivers/until-done.ts'

/** A access with the rights of a ClusterRole only. */
const restricted = async ({ admin, cluster, connection }: TestCluster, role: string): Promise<ClusterAccess> => {
  const account = { name: `as-${role}`, namespace: 'default' }
  await admin.apply(serviceAccounts('default'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account })
  await admin.apply(clusterRoleBindings, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: account.name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  })
  const answer = await admin.post(`/api/v1/namespaces/default/serviceaccounts/${account.name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  })
  const { token } = answer.status as { token: string }
  const client = connect({ ...connection, credential: { kind: 'token', token: new Secret(token) } })
  return { ...unreachable(cluster, new Error('not dialled')), client: async () => client }
}

describe('preflight of clusterprofile@1', () => {
  let lab: SimulatedClusters
  let host: TestCluster
  let paris: TestCluster
  const toHost = () => host.access()
  const toParis = () => paris.access()
  const life = (properties = {}) => new FederationLife({ driver: clusterProfileV1, host: toHost, connect, properties })
  const reasons = (findings: readonly { severity: string; reason: string }[]) =>
    findings.map(({ severity, reason }) => `${severity} ${reason}`)

  beforeAll(async () => {
    lab = await simulatedClusters(['host', 'paris'])
    ;[host, paris] = lab.clusters as [TestCluster, TestCluster]
  })
  afterAll(() => lab.close())

  const crdLine = async (context: FederationContext = life().context()) =>
    (await clusterProfileV1.checkHost(context)).wouldMake.filter((line) => line.includes(PROFILE_CRD))

  it('tells whether the CRD would be made', async () => {
    expect(await crdLine()).toEqual([`CustomResourceDefinition ${PROFILE_CRD} in the host`])
    const fed = life()
    await fed.create()
    expect(await crdLine()).toEqual([`CustomResourceDefinition ${PROFILE_CRD} in the host: exists already and is kept`])
    await fed.delete()
    const fault = new ConnectFailed('GET /api of host was refused.')
    expect(await crdLine({ ...life().context(), host: unreachable(host.cluster, fault) })).toEqual([
      `CustomResourceDefinition ${PROFILE_CRD} in the host, where there is none`,
    ])
  })

  it('lists every right that the credential lacks, in host and member', async () => {
    const fed = life()
    const context = fed.memberContext(toParis)
    const [inHost, inMember] = [await restricted(host, 'view'), await restricted(paris, 'edit')]
    const ofHost = await clusterProfileV1.checkHost({ ...context, host: inHost })
    expect(reasons(ofHost.findings)).toContain('error PermissionDenied')
    expect(ofHost.findings[0]?.message).toMatch(/create namespaces;.*delete secrets/)
    const ofMember = await clusterProfileV1.checkMember({ ...context, member: inMember })
    expect(ofMember.findings.find(({ reason }) => reason === 'PermissionDenied')?.message).toMatch(
      /create clusterrolebindings\.rbac\.authorization\.k8s\.io;.*bind clusterroles\.rbac\.authorization\.k8s\.io\/view/,
    )
  })

  it('finds a role that the member does not have', async () => {
    const { findings } = await clusterProfileV1.checkMember(life({ 'member-role': 'nobody' }).memberContext(toParis))
    expect(findings).toEqual([expect.objectContaining({ severity: 'error', reason: 'MemberRoleMissing' })])
  })

  it('warns of a role without rules, and says why it may have none', async () => {
    const metadata = (name: string) => ({ metadata: { name } })
    const base = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' }
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { nobody: 'has-it' } }] }
    await paris.admin.apply(clusterRoles, { ...base, ...metadata('empty') })
    await paris.admin.apply(clusterRoles, { ...base, ...metadata('unaggregated'), aggregationRule })
    const check = async (role: string) =>
      (await clusterProfileV1.checkMember(life({ 'member-role': role }).memberContext(toParis))).findings
    const warning = { severity: 'warning', reason: 'MemberRoleEmpty' }
    expect(await check('empty')).toEqual([
      { ...warning, message: expect.not.stringContaining('clusterrole-aggregation') },
    ])
    expect(await check('unaggregated')).toEqual([
      { ...warning, message: expect.stringContaining('clusterrole-aggregation') },
    ])
    expect(await check('view')).toEqual([])
  })

  it('finds a consumer namespace that the host does not have: a warning at create, an error at join', async () => {
    const fed = life({ 'consumer-namespaces': 'kueue-system' })
    expect(reasons((await clusterProfileV1.checkHost(fed.context())).findings)).toEqual([
      'warning ConsumerNamespaceMissing',
    ])
    const { findings } = await clusterProfileV1.checkMember(fed.memberContext(toParis))
    expect(reasons(findings)).toEqual(['error ConsumerNamespaceMissing'])
    expect(findings[0]?.message).toContain('kueue-system')
  })

  it('tells a cluster that can not be reached', async () => {
    const fault = new ConnectFailed('GET /api of paris was refused.')
    const context = { ...life().memberContext(toParis), member: unreachable(paris.cluster, fault) }
    expect((await clusterProfileV1.checkMember(context)).findings).toEqual([
      { severity: 'error', reason: 'ConnectFailed', message: fault.message, retryable: true },
    ])
  })

  it('warns of a loopback address where the host is elsewhere', async () => {
    const context = life().memberContext(toParis)
    const away = { ...host.cluster, endpoint: { ...host.cluster.endpoint!, serverForPeers: 'https://10.1.2.3:6443' } }
    const elsewhere = { ...context, host: { ...host.access(), cluster: away } }
    expect(reasons((await clusterProfileV1.checkMember(elsewhere)).findings)).toEqual([
      'warning MemberAddressIsLoopback',
    ])
    expect((await clusterProfileV1.checkMember(context)).findings).toEqual([])
  })

  it('warns when a consumer already sees the member', async () => {
    const properties = { 'consumer-namespaces': 'default' }
    const [one, other] = [life(properties), life(properties)]
    await one.create()
    await one.join(toParis)
    const { findings } = await clusterProfileV1.checkMember(other.memberContext(toParis))
    expect(reasons(findings)).toEqual(['warning MemberPublishedTwice'])
    await one.unjoin(toParis)
    await one.delete()
  })
})

describe('the ClusterProfile CRD of others', () => {
  let lab: SimulatedClusters
  let host: TestCluster
  let paris: TestCluster
  const life = () => new FederationLife({ driver: clusterProfileV1, host: () => host.access(), connect })

  /** As cluster-inventory-api v0.1: v1alpha1 only, and not with our label. */
  const older = (without: string[] = []): KubernetesObject => {
    const { apiVersion, kind, spec } = crdManifest({ cel: false })
    const only = structuredClone(spec) as unknown as {
      versions: { schema: { openAPIV3Schema: { properties: { status: { properties: Record<string, unknown> } } } } }[]
    }
    only.versions = only.versions.slice(0, 1)
    for (const field of without) delete only.versions[0]?.schema.openAPIV3Schema.properties.status.properties[field]
    return { apiVersion, kind, metadata: { name: PROFILE_CRD, labels: { app: 'ocm' } }, spec: only }
  }
  const install = async (crd: KubernetesObject): Promise<KubernetesObject> => {
    await host.admin.delete(customResourceDefinitions, PROFILE_CRD)
    await untilDone(async () => ({
      done: (await host.admin.get(customResourceDefinitions, PROFILE_CRD)) === undefined,
      waitingFor: 'the CRD to be gone',
    }))
    return host.admin.create(customResourceDefinitions, crd)
  }

  beforeAll(async () => {
    lab = await simulatedClusters(['host', 'paris'])
    ;[host, paris] = lab.clusters as [TestCluster, TestCluster]
  })
  afterAll(() => lab.close())

  it('is used as it is when it is good enough', async () => {
    const { metadata } = await install(older())
    const fed = life()
    await fed.create()
    await fed.join(() => paris.access())
    const after = await host.admin.get(customResourceDefinitions, PROFILE_CRD)
    expect(after?.metadata).toMatchObject({ uid: metadata.uid, labels: { app: 'ocm' } })
    expect(after?.spec).toMatchObject({ versions: [{ name: 'v1alpha1' }] })
    expect((await host.admin.list(profiles('v1alpha1'))).items).toHaveLength(1)
    await fed.unjoin(() => paris.access())
    await fed.delete()
  })

  it('is refused, and not changed, when it has no accessProviders', async () => {
    await install(older(['accessProviders']))
    const fed = life()
    await expect(fed.create()).rejects.toMatchObject({
      name: 'ForeignObject',
      message: expect.stringContaining('v0.1.0'),
    })
    expect((await clusterProfileV1.checkHost(fed.context())).findings).toEqual([
      expect.objectContaining({ severity: 'error', reason: 'ForeignObject' }),
    ])
    await fed.undoCreate()
  })

  it('is extended when it is an older edition of ours, and left alone when it is a newer one', async () => {
    const manifest = (edition: string): KubernetesObject => {
      const { metadata, ...crd } = older()
      const labels = { 'app.kubernetes.io/managed-by': 'fedplane' }
      return {
        ...crd,
        metadata: { ...metadata, labels, annotations: { 'fedplane.io/crd-edition': edition } },
      } as KubernetesObject
    }
    const versionsAfter = async (): Promise<number> => {
      const fed = life()
      await fed.create()
      await fed.undoCreate()
      const crd = await host.admin.get(customResourceDefinitions, PROFILE_CRD)
      return (crd as unknown as { spec: { versions: unknown[] } }).spec.versions.length
    }
    await install(manifest('0'))
    expect((await clusterProfileV1.checkHost(life().context())).wouldMake).toContain(
      `CustomResourceDefinition ${PROFILE_CRD} in the host: exists already and is brought up to date`,
    )
    expect(await versionsAfter()).toBe(2)
    await install(manifest('99'))
    expect(await versionsAfter()).toBe(1)
  })
})
