import { unmarshall } from '@aws-sdk/util-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ApiApp, apiApp } from '../../functions/api/app.ts'
import type { DomainEvent } from '../../functions/core/values/event.ts'
import type { Principal, Role } from '../../functions/core/values/identity.ts'
import { Secret } from '../../functions/core/values/secret.ts'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import { whoAmI } from '../../functions/drivers/support/who-am-i.ts'
import { deniedAccess } from '../../functions/kubernetes/access-review.ts'
import { ConnectFailed } from '../../functions/kubernetes/errors.ts'
import { parseKubeconfig } from '../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { connectionTo } from '../../functions/kubernetes/stored-connection.ts'
import { eventItem } from '../../functions/store/dynamodb/event.schema.ts'
import { parseItem } from '../../functions/store/dynamodb/item.schema.ts'
import { EVENT_PREFIX } from '../../functions/store/dynamodb/table-definition.ts'
import { removeExpiredAccounts } from '../../functions/workers/health-sweep/expired-accounts.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { API_SETTINGS, callApp } from '../support/api/lab.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, latestOf } from '../support/flows/look.ts'
import { until } from '../support/local/engine-lab.ts'
import { scanTable } from '../support/store/dynamo-subject.ts'

/** Kubeconfigs of registered clusters for people: rights, names, and that nothing of them stays. */

const somebody = (userId: string, roles: Role[], projectId = 'blue'): Principal => ({
  userId,
  projectId,
  roles,
  source: 'token-file',
})
const ROOT = somebody('root', ['admin'])
const ANA = somebody('Ana Lopez@example.org', ['member'])
const RITA = somebody('rita', ['reader'])

let lab: FlowLab
let app: ApiApp
let server: SimulatedKubernetes
let id = ''
beforeAll(async () => {
  lab = await openFlowLab({ clusterDriver: externalV1, connect })
  app = apiApp(lab.ports, API_SETTINGS)
})
afterAll(async () => {
  await lab.dispose()
  await server.close()
})

const call = (as: Principal, method: string, target: string, body?: unknown) =>
  callApp(app, method, target, body === undefined ? { as } : { as, body })
const register = async (kubeconfig: string): Promise<string> => {
  const { body } = await call(ANA, 'POST', '/v1/clusters', { name: 'prod', kubeconfig })
  await ended(lab, await latestOf(lab, 'cluster-create', body.uuid))
  expect((await clusterOf(lab, body.uuid))?.status).toBe('CREATE_COMPLETE')
  return body.uuid
}
beforeEach(async () => {
  await server?.close()
  server = await startSimulatedKubernetes({ now: () => lab.clock.now() })
  id = await register(server.kubeconfig)
})

const post = (as: Principal, body: unknown) => call(as, 'POST', `/v1/clusters/${id}/kubeconfig`, body)
const RBAC = 'rbac.authorization.k8s.io'
/** What people have in the cluster: accounts, bindings and their namespace. */
const there = (): string[] =>
  [
    { group: '', plural: 'namespaces' },
    { group: '', plural: 'serviceaccounts' },
    { group: RBAC, plural: 'clusterrolebindings' },
    { group: RBAC, plural: 'rolebindings' },
  ].flatMap((collection) =>
    server.cluster.store
      .list(collection)
      .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'fedplane')
      .map(({ kind }) => kind),
  )
const gone = () => until(async () => there().length === 0)
const issued = async (): Promise<{ kind: string }[]> =>
  (await call(RITA, 'GET', `/v1/credentials/inventory?cluster=${id}`)).body.credentials.filter(
    ({ kind }: { kind: string }) => kind === 'kubeconfig',
  )
const events = async (): Promise<DomainEvent[]> =>
  (await scanTable(lab.ports.stores.table))
    .filter(({ sk }) => sk?.S?.startsWith(EVENT_PREFIX))
    .map((item) => parseItem(eventItem, unmarshall(item as never)).event)
const clientOf = (kubeconfig: string) => {
  const { endpoint, credential } = parseKubeconfig(kubeconfig, { now: lab.clock.now() })
  return connect(connectionTo(endpoint, credential))
}

describe('POST /v1/clusters/{cluster}/kubeconfig', () => {
  it.each<[string, Principal, object, number]>([
    ['a reader looks', RITA, { role: 'viewer' }, 200],
    ['a reader does not change', RITA, { role: 'editor', namespace: 'default' }, 403],
    ['a member changes', ANA, { role: 'editor', namespace: 'default' }, 200],
    ['a member is no administrator', ANA, { role: 'admin' }, 403],
    ['without a role everything is asked for', ANA, {}, 403],
    ['an administrator is', ROOT, { role: 'admin' }, 200],
    ['another project finds nothing', somebody('eve', ['admin'], 'green'), { role: 'viewer' }, 404],
    ['nobody edits everything', ROOT, { role: 'editor' }, 400],
    ['nobody is let into accounts of the cluster', ROOT, { role: 'viewer', namespace: 'kube-system' }, 400],
    ['a namespace must be there', ROOT, { role: 'viewer', namespace: 'absent' }, 400],
    ['a namespace must be one', ROOT, { role: 'viewer', namespace: 'A/b' }, 400],
  ])('%s', async (_, as, body, status) => {
    const answer = await post(as, body)
    expect([answer.status, answer.body.errors?.[0].detail]).toEqual([
      status,
      status === 200 ? undefined : expect.any(String),
    ])
    expect((await issued()).length).toBe(status === 200 ? 1 : 0)
    if (status !== 200) await gone()
  })

  it('says in its events by which decisions', async () => {
    await post(ANA, { role: 'editor', namespace: 'default' })
    const { items } = await lab.ports.stores.events.listOf('blue', { kind: 'cluster', id }, { limit: 50 })
    const [event] = items.filter(({ action }) => action === 'kubeconfig')
    expect(event).toMatchObject({
      initiator: { userId: ANA.userId },
      audit: { decisions: expect.arrayContaining([expect.objectContaining({ rule: 'cluster:kubeconfig' })]) },
    })
  })

  it('gives a token of an account that has the name of the caller, the role and nothing else', async () => {
    const { body, headers } = await post(ANA, { role: 'editor', namespace: 'default', expires_in: 900 })
    expect([headers['cache-control'], Date.parse(body.expires_at) - lab.clock.now().getTime()]).toEqual([
      'no-store',
      900_000,
    ])
    expect(JSON.parse(body.kubeconfig).contexts[0].context.namespace).toBe('default')
    const client = clientOf(body.kubeconfig)
    expect(await whoAmI(client)).toMatch(/^system:serviceaccount:fedplane-people-\w{10}:ana-lopez-example-org-\w{10}$/)
    const access = (verb: string, resource: string, namespace?: string) => ({
      verb,
      group: '',
      resource,
      ...(namespace === undefined ? {} : { namespace }),
    })
    const asked = [
      access('create', 'configmaps', 'default'),
      access('get', 'secrets', 'default'),
      access('create', 'configmaps', 'kube-system'),
      access('list', 'configmaps'),
    ]
    expect(await deniedAccess(client, asked)).toEqual(asked.slice(2))
    client.close()
    const events = (await call(ANA, 'GET', `/v1/clusters/${id}/events`)).body.events
    expect(events.at(-1)).toMatchObject({
      action: 'kubeconfig',
      message: expect.stringContaining('editor of namespace default'),
    })
    expect(JSON.stringify(events)).not.toContain(JSON.parse(body.kubeconfig).users[0].user.token)
  })

  it('is one event, with the decisions about this cluster, and a refusal is none', async () => {
    const before = new Set((await events()).map((event) => event.id))
    const since = async () => (await events()).filter((event) => !before.has(event.id))
    expect((await post(ANA, { role: 'editor', namespace: 'absent' })).status).toBe(400)
    expect(await since()).toEqual([])
    await post(ANA, { role: 'editor', namespace: 'default' })
    const [event, ...more] = await since()
    expect([event?.action, event?.reason, more]).toEqual(['kubeconfig', 'KubeconfigIssued', []])
    const asked = event!.audit!.decisions.filter(({ rule }) => rule === 'cluster:kubeconfig')
    const about = { rule: 'cluster:kubeconfig', policies: expect.any(Array), cluster: { id, projectId: 'blue' } }
    expect(asked.filter(({ cluster }) => cluster)).toEqual([about, about])
  })

  it('is in no inventory where nothing was made, and says of what was made that nobody got it', async () => {
    const { connect: open } = lab.ports
    const over = (refuse: (path: string) => boolean) => {
      let isDown = false
      return apiApp(
        {
          ...lab.ports,
          connect: (connection) => {
            const client = open(connection)
            if (refuse('')) throw new ConnectFailed('Nobody answers.')
            const post: typeof client.post = (path, body) => {
              isDown = refuse(path)
              return isDown ? Promise.reject(new ConnectFailed('Nobody answers.')) : client.post(path, body)
            }
            const remove: typeof client.delete = (...given) =>
              isDown ? Promise.reject(new ConnectFailed('Nobody answers.')) : client.delete(...given)
            return { ...client, post, delete: remove }
          },
        },
        API_SETTINGS,
      )
    }
    const ask = async (refuse: (path: string) => boolean) =>
      (await callApp(over(refuse), 'POST', `/v1/clusters/${id}/kubeconfig`, { as: RITA, body: { role: 'viewer' } }))
        .status
    expect(await ask((path) => path === '')).toBe(503)
    expect(await issued()).toEqual([])
    expect(await ask((path) => path.endsWith('/token'))).toBe(503)
    expect(await issued()).toMatchObject([{ holder: 'nobody', user_id: 'rita' }])
    lab.clock.advance(3_601_000)
    await removeExpiredAccounts(lab.ports)
    await gone()
  })

  it('lets viewers write nothing and read no Secrets', async () => {
    const client = clientOf((await post(RITA, { role: 'viewer' })).body.kubeconfig)
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'no', namespace: 'default' } }
    const configMaps = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' }
    await expect(client.create(configMaps, config)).rejects.toMatchObject({ name: 'PermissionDenied' })
    expect((await client.list({ ...configMaps, namespace: 'kube-system' })).items).toEqual(expect.any(Array))
    await expect(client.list({ ...configMaps, plural: 'secrets' })).rejects.toMatchObject({ name: 'PermissionDenied' })
    client.close()
  })

  it('leaves nothing behind once it has expired, and not before', async () => {
    const short = (await post(RITA, { role: 'viewer', expires_in: 600 })).body.kubeconfig
    const long = (await post(ANA, { role: 'editor', namespace: 'default', expires_in: 3600 })).body.kubeconfig
    await removeExpiredAccounts(lab.ports)
    expect(there().sort()).toEqual([
      'ClusterRoleBinding',
      'Namespace',
      'RoleBinding',
      'ServiceAccount',
      'ServiceAccount',
    ])
    lab.clock.advance(601_000)
    await removeExpiredAccounts(lab.ports)
    expect(there().sort()).toEqual(['Namespace', 'RoleBinding', 'ServiceAccount'])
    const [first, second] = [clientOf(short), clientOf(long)]
    await expect(first.version().then(() => whoAmI(first))).rejects.toMatchObject({ name: 'CredentialRejected' })
    expect(await whoAmI(second)).toContain('ana-lopez')
    for (const client of [first, second]) client.close()
    lab.clock.advance(3_000_000)
    await removeExpiredAccounts(lab.ports)
    await gone()
    expect(await lab.ports.stores.inventory.issuedOf({ projectId: 'blue', id })).toEqual([])
  })

  it('goes with the cluster when that is forgotten', async () => {
    await post(ANA, { role: 'editor', namespace: 'default' })
    expect((await call(ANA, 'DELETE', `/v1/clusters/${id}`)).status).toBe(204)
    await until(async () => (await clusterOf(lab, id)) === undefined)
    await gone()
    expect(await lab.ports.stores.inventory.issued('blue')).toEqual([])
  })

  it('says what stays in a cluster that does not answer when it is forgotten', async () => {
    await post(RITA, { role: 'viewer' })
    await post(RITA, { role: 'viewer' })
    await server.close()
    server = await startSimulatedKubernetes()
    await call(ANA, 'DELETE', `/v1/clusters/${id}`)
    await until(async () => (await clusterOf(lab, id)) === undefined)
    const { events } = (await call(ANA, 'GET', `/v1/clusters/${id}/events`)).body
    expect(events.at(-1)).toMatchObject({ reason: 'LeftBehind', message: expect.stringContaining('fedplane-people-') })
    expect(await lab.ports.stores.inventory.issuedOf({ projectId: 'blue', id })).toEqual([])
  })

  it('is refused with what to do where our own account may not, and leaves nothing', async () => {
    const { body } = await post(ANA, { role: 'editor', namespace: 'default' })
    const { users } = JSON.parse(body.kubeconfig)
    const stored = await lab.ports.stores.credentials.get({
      projectId: 'blue',
      owner: `cluster/${id}`,
      purpose: 'kubeconfig',
    })
    if (stored === undefined) throw new Error('there is no credential')
    const admin = JSON.parse(server.kubeconfig).users?.[0].user.token ?? ''
    const weak = new Secret(stored.reveal().replaceAll(admin, users[0].user.token))
    const key = { projectId: 'blue', owner: `cluster/${id}`, purpose: 'kubeconfig' }
    await lab.ports.stores.commit([await lab.ports.stores.credentials.seal(key, weak)])
    const before = there()
    const refused = await post(RITA, { role: 'viewer' })
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      409,
      expect.stringContaining("fedplane's own account"),
    ])
    expect(there()).toEqual(before)
  })
})
