import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../functions/core/values/identity.ts'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import { clusterProfileV1 } from '../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { grantKey, membershipKey } from '../../functions/store/dynamodb/keys.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { ANA, BEN, openTwoProjects, type TwoProjects } from '../support/flows/two-projects.ts'
import { until } from '../support/local/engine-lab.ts'

/** Grants over API servers, with `clusterprofile@1`: rights that it takes, a host that dies, and somebody who writes the table without keys. */

let two: TwoProjects
beforeAll(async () => {
  two = await openTwoProjects({ clusterDriver: externalV1, federationDriver: clusterProfileV1, connect })
})
afterAll(async () => {
  expect(two.keysUsedBy('blue')).toEqual(['blue'])
  expect(two.keysUsedBy('green')).toEqual(['green'])
  await two.dispose()
})

let [hubServer, edgeServer] = [] as SimulatedKubernetes[]
let [hub, edge] = ['', '']
beforeEach(async () => {
  const started = await Promise.all([startSimulatedKubernetes(), startSimulatedKubernetes()])
  ;[hubServer, edgeServer] = started
  hub = await registered(ANA, 'hub', started[0])
  edge = await registered(BEN, 'edge', started[1])
})
afterEach(() => Promise.all([hubServer?.close(), edgeServer?.close()]))

const registered = async (as: Principal, name: string, { kubeconfig }: SimulatedKubernetes): Promise<string> => {
  const { uuid } = (await two.call(as, 'POST', '/v1/clusters', { name, kubeconfig })).body
  await until(async () => (await two.call(as, 'GET', `/v1/clusters/${uuid}`)).body.status === 'CREATE_COMPLETE')
  return uuid
}

const joinGrant = (rights: string) => ({ project_id: 'blue', actions: ['join'], rights })
const usesOf = async () => (await two.call(BEN, 'GET', `/v1/clusters/${edge}/federations`)).body.federations
const leave = (federation: string, query = '') =>
  two.call(BEN, 'DELETE', `/v1/clusters/${edge}/federations/${federation}${query}`)

const joined = async (rights = 'view'): Promise<{ federation: string; grant: string }> => {
  const grant = await two.grant(edge, joinGrant(rights))
  const federation = await two.federation({ hostcluster_id: hub })
  await two.join(federation, edge)
  await two.settled(federation)
  return { federation, grant }
}

describe('rights', () => {
  it('that go beyond the grant are refused with the difference, at the join and when properties change', async () => {
    const { federation } = await joined()
    expect(await usesOf()).toMatchObject([{ state: 'Ready', rights: 'view' }])
    const wanted = [{ op: 'add', path: '/properties/member-role', value: 'edit' }]
    const { status, body } = await two.call(ANA, 'PATCH', `/v1/federations/${federation}`, wanted)
    expect([status, body.errors[0].detail]).toEqual([
      403,
      expect.stringMatching(
        /cluster:join .*as member .*"edit".* gives the rights of the ClusterRole "view" only: .*"rights": "edit"/,
      ),
    ])
    const other = await two.federation({
      hostcluster_id: hub,
      properties: { 'member-role': 'edit', namespace: 'other' },
    })
    expect((await two.join(other, edge)).status).toBe(403)
    await two.grant(edge, joinGrant('edit'))
    expect((await two.join(other, edge)).status).toBe(202)
  })
})

describe('a federation whose host is dead', () => {
  it('is left by force on the own side', async () => {
    const { federation } = await joined()
    await hubServer?.close()
    hubServer = undefined as never
    expect((await leave(federation)).status).toBe(202)
    expect((await leave(federation, '?force=true')).status).toBe(202)
    await until(async () => (await usesOf()).length === 0)
    expect((await two.settled(federation)).body.members).toEqual([])
  })
})

describe('a change of properties', () => {
  it('that fails in the member says nothing of where that is', async () => {
    const { federation } = await joined('edit')
    const { port } = new URL((await two.call(BEN, 'GET', `/v1/clusters/${edge}`)).body.api_address)
    await edgeServer?.close()
    edgeServer = undefined as never
    const wanted = [{ op: 'add', path: '/properties/member-role', value: 'edit' }]
    expect((await two.call(ANA, 'PATCH', `/v1/federations/${federation}`, wanted)).status).toBe(202)
    const { text, body } = await two.settled(federation)
    expect(body).toMatchObject({ status: 'UPDATE_FAILED', status_reason: expect.stringContaining("another project's") })
    expect(text).not.toContain(port)
    const { text: events } = await two.call(ANA, 'GET', `/v1/federations/${federation}/events`)
    expect(events).not.toContain(port)
  })
})

describe('a dry run', () => {
  it('opens no cluster of another project', async () => {
    await two.grant(edge, joinGrant('view'))
    const federation = await two.federation({ hostcluster_id: hub })
    const add = [{ op: 'add', path: '/member_ids', value: edge }]
    const { status, body } = await two.call(ANA, 'PATCH', `/v1/federations/${federation}?dry_run=true`, add)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      would_succeed: true,
      findings: [{ severity: 'warning', reason: 'NotChecked', cluster_id: edge }],
      would_make: [],
    })
  })
})

describe('somebody who writes the table and has no keys', () => {
  const write = (key: { pk: string; sk: string }, name: string, value: unknown) => {
    const { client, tableName } = two.lab.ports.stores.table
    return client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: key,
        UpdateExpression: 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    )
  }

  it.each([
    ['the rights', { rights: 'view' }, 'rights', 'edit'],
    ['the receiver', { project_id: 'red' }, 'receiver', { projectId: 'blue' }],
    ['the actions', { actions: ['host'] }, 'actions', ['join']],
  ])('who changes %s of a grant gets no credential by it', async (_, given, name, value) => {
    const grant = await two.grant(edge, { ...joinGrant('edit'), ...given })
    const key = grantKey({ projectId: 'green', clusterId: edge, id: grant })
    await write(key, name, value)
    if (name === 'receiver') await write({ pk: 'P#blue', sk: `RECEIVED#${edge}#${grant}` }, 'projectId', 'green')
    const properties = { 'member-role': name === 'rights' ? 'edit' : 'view' }
    const federation = await two.federation({ hostcluster_id: hub, properties })
    expect((await two.join(federation, edge)).status).toBe(202)
    expect((await two.settled(federation)).body.members).toMatchObject([{ state: 'JoinFailed', reason: 'ItemAltered' }])
    expect(await usesOf()).toEqual([])
  })

  it('who moves a membership to a cluster of another project gets none of it', async () => {
    const { federation } = await joined()
    const membership = { projectId: 'blue', federationId: federation, clusterId: edge }
    await write(membershipKey(membership), 'loan', { projectId: 'green', grantId: 'another', since: '' })
    const read = await two.lab.ports.stores.memberships.get(membership)
    await expect(two.lab.ports.stores.integrity.requireMembership(read!)).rejects.toMatchObject({ name: 'ItemAltered' })
  })
})
