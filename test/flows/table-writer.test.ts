import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ApiApp, apiApp } from '../../functions/api/app.ts'
import type { Cluster, ClusterEndpoint } from '../../functions/core/cluster/cluster.ts'
import type { Membership } from '../../functions/core/membership/membership.ts'
import { executionOf, newOperation } from '../../functions/core/operation/launch.ts'
import type { Principal } from '../../functions/core/values/identity.ts'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import { clusterProfileV1 } from '../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { membershipIndexAttributes, presentOnly } from '../../functions/store/dynamodb/index-attributes.ts'
import { clusterKey, federationKey, membershipKey } from '../../functions/store/dynamodb/keys.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { renewDue } from '../../functions/workers/renewals/renew.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { API_SETTINGS, callApp } from '../support/api/lab.ts'
import { ALICE } from '../support/api/request.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, latestOf, settled } from '../support/flows/look.ts'
import { json, makeCa, startTlsServer, type TestServer } from '../support/kubernetes/tls.ts'
import { until } from '../support/local/engine-lab.ts'

/**
 * What somebody gets who may write the whole table, and nothing else: no keys, no credential (issue on access, point 3). They write as DynamoDB's console
 * would, past every store, and check what their own server is sent, and what appears in their own cluster.
 */

const OWNER: Principal = { ...ALICE, userId: 'olga' }
const MALLORY: Principal = { ...ALICE, userId: 'mallory', roles: ['member', 'reader'], source: 'token-file' }

let lab: FlowLab
let app: ApiApp
let hostile: TestServer
let hostileEndpoint: ClusterEndpoint
beforeAll(async () => {
  const ca = await makeCa('hostile')
  hostile = await startTlsServer(await ca.issue({ ips: ['127.0.0.1'] }), (_, response) => json(response, 200, {}))
  hostileEndpoint = {
    server: `https://127.0.0.1:${hostile.port}`,
    serverForPeers: null,
    caPem: ca.certificatePem,
    tlsServerName: null,
    tlsVerify: true,
  }
  lab = await openFlowLab({ clusterDriver: externalV1, federationDriver: clusterProfileV1, connect })
  app = apiApp(lab.ports, API_SETTINGS)
})
afterAll(async () => {
  await hostile.close()
  await lab.dispose()
})

let [prod, hub, own] = [] as SimulatedKubernetes[]
let ids = { prod: '', hub: '', own: '', fleet: '' }

const call = (as: Principal, method: string, target: string, body?: unknown) =>
  callApp(app, method, target, body === undefined ? { as } : { as, body })

const register = async (as: Principal, name: string, { kubeconfig }: SimulatedKubernetes): Promise<string> => {
  const { body } = await call(as, 'POST', '/v1/clusters', { name, kubeconfig })
  await ended(lab, await latestOf(lab, 'cluster-create', body.uuid))
  return body.uuid
}

const federate = async (as: Principal, body: object): Promise<string> => {
  const answer = await call(as, 'POST', '/v1/federations', body)
  expect(answer.status).toBe(202)
  await settled(lab, answer.body.uuid)
  return answer.body.uuid
}

beforeEach(async () => {
  const started = await Promise.all([
    startSimulatedKubernetes(),
    startSimulatedKubernetes(),
    startSimulatedKubernetes(),
  ])
  ;[prod, hub, own] = started
  ids.prod = await register(OWNER, 'prod', started[0])
  ids.hub = await register(OWNER, 'hub', started[1])
  ids.own = await register(MALLORY, 'own', started[2])
  ids.fleet = await federate(OWNER, { name: 'fleet', hostcluster_id: ids.hub, member_ids: [ids.prod] })
  hostile.seen.length = 0
})
afterEach(async () => {
  await Promise.all([prod, hub, own].map((server) => server?.close()))
  ids = { prod: '', hub: '', own: '', fleet: '' }
})

/** Writes attributes of an item past everything. */
const write = async (key: { pk: string; sk: string }, attributes: Record<string, unknown>): Promise<void> => {
  const entries = Object.entries(attributes)
  const { client, tableName } = lab.ports.stores.table
  await client.send(
    new UpdateCommand({
      TableName: tableName,
      Key: key,
      UpdateExpression: `SET ${entries.map((_, index) => `#n${index} = :v${index}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(entries.map(([name], index) => [`#n${index}`, name])),
      ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], index) => [`:v${index}`, value])),
    }),
  )
}
const writeCluster = (id: string, change: Partial<Cluster>) => write(clusterKey({ projectId: 'blue', id }), change)
const writeFleet = (change: Record<string, unknown>) =>
  write(federationKey({ projectId: 'blue', id: ids.fleet }), change)
const memberOf = (clusterId: string) => ({ projectId: 'blue', federationId: ids.fleet, clusterId })
const writeMember = (change: Record<string, unknown>) => write(membershipKey(memberOf(ids.prod)), change)

const settledFleet = async () => {
  const federation = await settled(lab, ids.fleet)
  return federation === 'gone' ? undefined : federation
}

/** Everything that fedplane does by itself and on request with the cluster and the federation, as often as it takes. */
const useAll = async (): Promise<void> => {
  lab.clock.advance(60_000)
  await sweepHealth(lab.ports)
  await renewDue(lab.ports)
  await reconcile(lab.ports)
  const fleet = `/v1/federations/${ids.fleet}`
  await call(OWNER, 'PATCH', `${fleet}?dry_run=true`, [
    { op: 'add', path: '/properties/consumer-namespaces', value: 'default' },
  ])
  await call(OWNER, 'PATCH', fleet, [{ op: 'add', path: '/properties/consumer-namespaces', value: 'default' }])
  await settledFleet()
  await call(OWNER, 'PATCH', fleet, [{ op: 'remove', path: '/member_ids', value: ids.prod }])
  await settledFleet()
  await call(OWNER, 'PATCH', fleet, [{ op: 'add', path: '/member_ids', value: ids.prod }])
  await settledFleet()
  await until(async () => (await lab.engine.list()).every(({ status }) => status !== 'RUNNING'))
}

/** Whatever of a credential was sent to the hostile server. */
const leaked = (): string[] =>
  hostile.seen.flatMap(({ method, url, headers, body }) =>
    headers.authorization === undefined && body === '' ? [] : [`${method} ${url}`],
  )
const SECRETS = { group: '', plural: 'secrets' }
/** Tokens that appeared in a cluster and that another cluster takes. */
const tokensIn = (server: SimulatedKubernetes | undefined, of: SimulatedKubernetes | undefined): string[] =>
  (server?.cluster.store.list(SECRETS) ?? []).flatMap((secret) =>
    Object.values((secret as { data?: Record<string, string> }).data ?? {})
      .map((value) => Buffer.from(value, 'base64').toString('utf8'))
      .flatMap((text) => [text, ...(text.match(/ey[\w-]+\.[\w-]+\.[\w-]+/g) ?? [])])
      .filter((text) => of?.cluster.tokens.authenticate(text) !== undefined),
  )

it('is a harness in which the control plane holds a token of the member, and attackers see what they are sent', async () => {
  expect(tokensIn(hub, prod)).not.toEqual([])
  expect(tokensIn(own, prod)).toEqual([])
  await useAll()
  expect((await settledFleet())?.memberIds).toEqual([ids.prod])
})

describe('another address', () => {
  it.each([
    ['of a member', () => writeCluster(ids.prod, { endpoint: hostileEndpoint })],
    ['of a host', () => writeCluster(ids.hub, { endpoint: hostileEndpoint })],
    [
      'of a member for its peers',
      async () => {
        const { endpoint } = (await clusterOf(lab, ids.prod)) as Cluster
        await writeCluster(ids.prod, {
          endpoint: { ...(endpoint as ClusterEndpoint), serverForPeers: hostileEndpoint.server },
        })
      },
    ],
    [
      'and a due renewal of the token',
      async () => {
        await writeCluster(ids.prod, { endpoint: hostileEndpoint })
        const due = {
          kind: 'token-request',
          expiresAt: '2026-11-27T10:00:00.000Z',
          renewAfter: '2026-11-27T10:00:00.000Z',
        }
        await writeMember({ credential: due })
      },
    ],
  ])('%s is sent no credential, and is published nowhere', async (_what, alter) => {
    await alter()
    await useAll()
    expect(leaked()).toEqual([])
    const published = JSON.stringify([...(hub?.cluster.store.all() ?? [])])
    expect(published).not.toContain(hostileEndpoint.server)
  })

  it('is asked to operators in the log, by the name of the cluster', async () => {
    await writeCluster(ids.prod, { endpoint: hostileEndpoint })
    lab.clock.advance(60_000)
    await sweepHealth(lab.ports)
    expect(JSON.stringify(lab.log.lines)).toContain('ItemAltered')
  })
})

describe('whoever registered a cluster of their own in the project', () => {
  /** Lays what the host has into their own cluster, so that nothing is missing there. */
  const prepareOwn = (): void => {
    for (const { collection, object } of hub?.cluster.store.all() ?? []) {
      if (collection.plural === 'secrets' || object.metadata.name.startsWith('kube-')) continue
      own?.cluster.store.put(collection, { object, ownership: new Map() })
    }
  }

  /** A join that nobody asked for, as the reconciler finds it: it starts what was never started. */
  const forgeJoin = async (federationId: string): Promise<void> => {
    const operation = newOperation(lab.ports, 'join', { deadlineSeconds: 3600 })
    const forged: Membership = {
      ...memberOf(ids.prod),
      federationId,
      memberName: 'prod',
      revision: 1,
      changeId: lab.ports.newId(),
      since: operation.startedAt,
      made: [],
      credential: null,
      state: 'Joining',
      operation,
    }
    const attributes = { ...forged, schemaVersion: 2, ...presentOnly(membershipIndexAttributes(forged)) }
    await write(membershipKey(forged), attributes)
    await write(federationKey({ projectId: 'blue', id: federationId }), { memberIds: new Set([ids.prod]) })
    lab.clock.advance(3 * 60_000)
    await reconcile(lab.ports)
    await ended(lab, executionOf('member-join', operation))
  }

  it.each([
    ['makes it the host of a federation', () => writeFleet({ hostClusterId: ids.own })],
    ['makes it the host, and the federation theirs', () => writeFleet({ hostClusterId: ids.own, userId: 'mallory' })],
    [
      'has their own federation take the cluster as a member',
      async () => forgeJoin(await federate(MALLORY, { name: 'mine', hostcluster_id: ids.own })),
    ],
  ])('and %s gets no token', async (_what, alter) => {
    prepareOwn()
    await alter()
    await useAll()
    expect(tokensIn(own, prod)).toEqual([])
  })

  it('and the owner of another, may join it with no more rights', async () => {
    await writeCluster(ids.prod, { userId: 'mallory' })
    const body = { hostcluster_id: ids.own, member_ids: [ids.prod], properties: { 'member-role': 'cluster-admin' } }
    expect((await call(MALLORY, 'POST', '/v1/federations', body)).status).toBe(500)
    const change = [{ op: 'replace', path: '/kubeconfig', value: own?.kubeconfig }]
    expect((await call(MALLORY, 'PATCH', `/v1/clusters/${ids.prod}`, change)).status).toBe(500)
    expect(tokensIn(own, prod)).toEqual([])
  })

  it('and takes the role from a management cluster may not use it', async () => {
    await lab.ports.stores.commit([
      lab.ports.stores.clusters.change((await clusterOf(lab, ids.hub)) as Cluster, {
        management: { driver: 'external@1', options: {}, isDefault: false },
      }),
    ])
    const body = { hostcluster_id: ids.hub }
    expect((await call(MALLORY, 'POST', '/v1/federations', body)).status).toBe(403)
    await writeCluster(ids.hub, { management: null })
    expect((await call(MALLORY, 'POST', '/v1/federations', body)).status).toBe(500)
  })

  it('and raises what its federation gives gets no more than was asked for', async () => {
    await writeFleet({ properties: { 'member-role': 'cluster-admin' }, propertiesInForce: {} })
    await useAll()
    const bindings = prod?.cluster.store.list({ group: 'rbac.authorization.k8s.io', plural: 'clusterrolebindings' })
    const ours = (bindings ?? []).filter(({ metadata }) => metadata.name.startsWith('fedplane'))
    expect(ours.map((binding) => (binding as { roleRef?: { name: string } }).roleRef?.name)).not.toContain(
      'cluster-admin',
    )
  })
})

describe('what was altered', () => {
  it('can be deleted by force, which says what it left', async () => {
    await writeCluster(ids.prod, { endpoint: hostileEndpoint })
    expect((await call(OWNER, 'DELETE', `/v1/federations/${ids.fleet}`)).status).toBe(204)
    expect((await settledFleet())?.statusReason).toContain('ItemAltered')
    expect((await call(OWNER, 'DELETE', `/v1/federations/${ids.fleet}?force=true`)).status).toBe(204)
    expect(await settledFleet()).toBeUndefined()
    expect(leaked()).toEqual([])
  })
})
