import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../functions/core/values/identity.ts'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import { clusterProfileV1 } from '../../functions/drivers/federation/clusterprofile/v1/index.ts'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import { parseKubeconfig } from '../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { clusterRoleBindings, namespaces } from '../../functions/kubernetes/resources.ts'
import { connectionTo } from '../../functions/kubernetes/stored-connection.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { ANA, BEN, openTwoProjects, type TwoProjects } from '../support/flows/two-projects.ts'
import { until } from '../support/local/engine-lab.ts'

/** Nobody edits a namespace in which fedplane keeps credentials: who reads Secrets there has the members. */

/** `karmada` is a namespace of its own, as that of a control plane in the host is. */
const driver = {
  ...clusterProfileV1,
  hostNamespaces: (federation: Parameters<typeof clusterProfileV1.hostNamespaces>[0]) => [
    ...clusterProfileV1.hostNamespaces(federation),
    ...(federation.properties.namespace === undefined ? [] : [federation.properties.namespace]),
  ],
}

let two: TwoProjects
beforeAll(async () => {
  two = await openTwoProjects({ clusterDriver: externalV1, federationDriver: driver, connect })
})
afterAll(() => two.dispose())

const ROOT: Principal = { ...ANA, userId: 'root', roles: ['admin'] }
let server: SimulatedKubernetes
let hub = ''
const registered = async (as: Principal, name: string): Promise<string> => {
  const { uuid } = (await two.call(as, 'POST', '/v1/clusters', { name, kubeconfig: server.kubeconfig })).body
  await until(async () => (await two.call(as, 'GET', `/v1/clusters/${uuid}`)).body.status === 'CREATE_COMPLETE')
  return uuid
}
const withClient = async (act: (client: KubernetesClient) => Promise<unknown>) => {
  const { endpoint, credential } = parseKubeconfig(server.kubeconfig, { now: two.lab.clock.now() })
  const client = connect(connectionTo(endpoint, credential))
  await act(client)
  client.close()
}
const makeNamespaces = (names: readonly string[]) =>
  withClient(async (client) => {
    for (const name of names)
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  })
beforeEach(async () => {
  server = await startSimulatedKubernetes({ now: () => two.lab.clock.now() })
  await makeNamespaces(['argocd', 'kueue-system', 'federation-system', 'shop'])
  hub = await registered(ANA, 'hub')
})
afterEach(() => server.close())

const ask = async (as: Principal, body: object, cluster = hub): Promise<[number, string | undefined]> => {
  const answer = await two.call(as, 'POST', `/v1/clusters/${cluster}/kubeconfig`, body)
  return [answer.status, answer.body.errors?.[0].detail]
}
const editor = (name: string, more: object = {}) => ({ role: 'editor', namespace: name, ...more })
const federation = (properties: Record<string, string>, hostcluster_id = hub) =>
  two.federation({ hostcluster_id, properties })
const publish = (id: string, value: string) =>
  two.call(ANA, 'PATCH', `/v1/federations/${id}`, [{ op: 'add', path: '/properties/consumer-namespaces', value }])

describe('a kubeconfig that edits', () => {
  it('is for no namespace that a federation publishes its members in, or has for itself', async () => {
    const id = await federation({ 'consumer-namespaces': 'argocd', namespace: 'federation-system' })
    for (const name of ['argocd', 'federation-system']) {
      expect(await ask(ANA, editor(name))).toEqual([409, expect.stringMatching(`namespace ${name}: .*${id}`)])
      expect(await ask(ROOT, { role: 'admin', namespace: name })).toEqual([409, expect.stringContaining(id)])
      expect(await ask(ANA, { role: 'viewer', namespace: name })).toEqual([200, undefined])
    }
    expect(await ask(ANA, editor('shop'))).toEqual([200, undefined])
    expect((await ask(ANA, { role: 'admin', namespace: 'shop' }))[0]).toBe(403)
  })

  it('is for none while an update is to take it away', async () => {
    const id = await federation({ 'consumer-namespaces': 'argocd' })
    const { federations } = two.lab.ports.stores
    const read = (await federations.get({ projectId: 'blue', id }))!
    const update = { properties: {}, propertiesInForce: read.properties, status: 'UPDATE_FAILED' } as const
    await two.lab.ports.stores.commit([federations.change(read, update)])
    expect((await ask(ANA, editor('argocd')))[0]).toBe(409)
  })

  it('is for none that a federation of another project has, which is not named', async () => {
    const lent = await registered(BEN, 'lent')
    await two.grant(lent, { project_id: 'blue', actions: ['host'], rights: 'edit' })
    const id = await federation({ 'consumer-namespaces': 'argocd' }, lent)
    const [status, detail] = await ask(BEN, editor('argocd'), lent)
    expect([status, detail]).toEqual([409, expect.stringContaining(`of project blue (${id})`)])
    // The same cluster under another registration: by what is in it.
    await two.join(id, hub)
    await two.settled(id)
    expect(await ask(ANA, editor('argocd'))).toEqual([409, expect.stringContaining('keeps credentials in it')])
  })

  it("is for none that has fedplane's own account", async () => {
    const { clusters } = two.lab.ports.stores
    const read = (await clusters.get({ projectId: 'blue', id: hub }))!
    const identity = { ...read.identity!, user: 'system:serviceaccount:shop:fedplane' }
    await two.lab.ports.stores.commit([clusters.change(read, { identity })])
    expect(await ask(ANA, editor('shop'))).toEqual([409, expect.stringContaining("fedplane's own account")])
  })
})

describe('a namespace with an account that is cluster-admin', () => {
  const bind = (subject: object) =>
    withClient((client) =>
      client.create(clusterRoleBindings, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'operators' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [subject],
      }),
    )

  it.each([
    ['is edited by nobody', { kind: 'ServiceAccount', name: 'fp', namespace: 'shop' }, 409],
    ['is edited by nobody, as all of its accounts', { kind: 'Group', name: 'system:serviceaccounts:shop' }, 409],
    ['is no other', { kind: 'ServiceAccount', name: 'fp', namespace: 'argocd' }, 200],
    ['has none for a person of that name', { kind: 'User', name: 'shop' }, 200],
  ])('%s', async (_, subject, status) => {
    await bind(subject)
    expect(await ask(ANA, editor('shop'))).toEqual([
      status,
      status === 200 ? undefined : expect.stringContaining('ClusterRoleBinding operators'),
    ])
    expect((await ask(ANA, { role: 'viewer', namespace: 'shop' }))[0]).toBe(200)
  })
})

describe('a federation', () => {
  it('takes no namespace that somebody can edit by another registration of its host', async () => {
    const other = await registered(BEN, 'same')
    expect((await ask(BEN, editor('argocd'), other))[0]).toBe(200)
    expect((await ask(BEN, { role: 'viewer', namespace: 'kueue-system' }, other))[0]).toBe(200)
    const id = await federation({ 'consumer-namespaces': 'kueue-system' })
    expect((await publish(id, 'kueue-system,argocd')).status).toBe(202)
    await two.settled(id)
    expect((await two.call(ANA, 'GET', `/v1/federations/${id}`)).body.status_reason).toMatch(
      /PeopleEditInNamespace .*argocd/,
    )
    const body = { hostcluster_id: hub, properties: { 'consumer-namespaces': 'argocd' } }
    const dry = await two.call(ANA, 'POST', '/v1/federations?dry_run=true', body)
    expect(JSON.stringify(dry.body)).toContain('PeopleEditInNamespace')
  })

  it('takes no namespace that somebody can edit, until they no longer can', async () => {
    expect((await ask(ANA, editor('argocd', { expires_in: 600 })))[0]).toBe(200)
    expect((await ask(ANA, { role: 'viewer', namespace: 'kueue-system' }))[0]).toBe(200)
    const id = await federation({ 'consumer-namespaces': 'kueue-system' })
    const until = new Date(two.lab.clock.now().getTime() + 600_000).toISOString()
    const refused = await publish(id, 'kueue-system,argocd')
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      409,
      expect.stringMatching(`argocd .*ana .*until ${until}`),
    ])
    const created = { hostcluster_id: hub, properties: { namespace: 'argocd' } }
    for (const query of ['', '?dry_run=true']) {
      expect((await two.call(ANA, 'POST', `/v1/federations${query}`, created)).status).toBe(409)
    }
    two.lab.clock.advance(601_000)
    expect((await publish(id, 'kueue-system,argocd')).status).toBe(202)
    await two.settled(id)
    expect((await ask(ANA, editor('argocd')))[0]).toBe(409)
  })

  it('and a kubeconfig that begin at once never both come to be', async () => {
    const answers = await Promise.all([
      ask(ANA, editor('argocd')).then(([status]) => status),
      two
        .call(ANA, 'POST', '/v1/federations', { hostcluster_id: hub, properties: { 'consumer-namespaces': 'argocd' } })
        .then(({ status }) => status),
    ])
    expect(answers.filter((status) => status < 300).length).toBeLessThanOrEqual(1)
    expect(answers.every((status) => [200, 202, 409].includes(status))).toBe(true)
  })
})
