import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import { manualClock } from '../../support/store/contract-subject.ts'
import { createTestStores, type TestStores } from '../../support/store/database.ts'
import { scanTable } from '../../support/store/dynamo-subject.ts'
import {
  sampleCluster,
  sampleEvent,
  sampleFederation,
  sampleId,
  sampleJoining,
  sampleNodeGroup,
  sampleOperation,
  sampleTemplate,
} from '../../support/store/samples.ts'

describe('items in the table', () => {
  let stores: TestStores
  beforeAll(async () => {
    stores = await createTestStores({ clock: manualClock('2026-11-27T10:00:00.000Z') })
  })
  afterAll(() => stores.dispose())

  const stored = async (key: { pk: string; sk: string }) => {
    const { client, tableName } = stores.table
    return (await client.send(new GetCommand({ TableName: tableName, Key: key }))).Item
  }
  const alter = async (key: { pk: string; sk: string }, attribute: string, value: unknown) => {
    await stores.table.client.send(
      new UpdateCommand({
        TableName: stores.table.tableName,
        Key: key,
        UpdateExpression: 'SET #attribute = :value',
        ExpressionAttributeNames: { '#attribute': attribute },
        ExpressionAttributeValues: { ':value': value },
      }),
    )
  }

  it('have the keys of the design, and a time to live in epoch seconds where they end', async () => {
    const projectId = sampleId()
    const cluster = sampleCluster({ projectId, id: 'c1', name: 'n1' })
    const federation = sampleFederation({ projectId, id: 'f1', name: 'n2' })
    await stores.commit([
      stores.clusters.insert(cluster),
      stores.federations.insert(federation),
      stores.memberships.insert(sampleJoining({ projectId, federationId: 'f1', clusterId: 'c1' })),
      stores.clusters.claimUid(projectId, 'u1', 'c1'),
      stores.federations.claimNamespace({ projectId, uid: 'u1' }, 'ns1', 'f1'),
      stores.events.append(sampleEvent({ projectId, id: 'e1', owner: { kind: 'cluster', id: 'c1' } })),
      stores.idempotency.remember(projectId, 'key', { fingerprint: 'sha', entityId: 'c1' }),
      await stores.credentials.seal({ projectId, owner: 'membership/f1/c1', purpose: 'member-token' }, new Secret('x')),
    ])
    const items = await scanTable(stores.table)
    const keysOf = (pk: string) => items.filter((item) => item.pk?.S === pk).map((item) => item.sk?.S)
    expect(keysOf(`P#${projectId}`).sort()).toEqual([
      'CLUSTER#c1',
      'CRED#membership/f1/c1#member-token',
      'DATAKEY#1',
      'EVENT#cluster/c1#e1',
      'FEDERATION#f1',
      'HOST#u1#NS#ns1',
      'IDEM#2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683',
      'MEMBER#f1#c1',
      'NAME#CLUSTER#n1#c1',
      'NAME#FEDERATION#n2#f1',
      'UID#u1',
    ])
    const now = Date.parse('2026-11-27T10:00:00.000Z') / 1000
    expect(await stored({ pk: `P#${projectId}`, sk: 'EVENT#cluster/c1#e1' })).toMatchObject({ ttl: now + 30 * 86_400 })
    const ended = items.filter((item) => item.pk?.S === `P#${projectId}` && item.ttl !== undefined)
    expect(ended).toHaveLength(2)
  })

  it('of templates, node groups, authorities, quotas and workers have the keys of the design', async () => {
    const projectId = sampleId()
    const key = { projectId, clusterId: 'c1', type: 'etcd' as const }
    const material = { certificatePem: 'pem', privateKey: new Secret('key') }
    await stores.commit([
      stores.templates.insert(sampleTemplate({ projectId, id: 't1', name: 'n#1', public: true })),
      stores.templates.insert(sampleTemplate({ projectId, id: 't2', name: null })),
      stores.nodeGroups.insert(sampleNodeGroup({ projectId, clusterId: 'c1', id: 'g1' })),
      await stores.certificates.seal({ ...key, candidate: false }, material),
      await stores.certificates.seal({ ...key, candidate: true }, material),
      stores.quotas.insert({
        projectId,
        resource: 'Cluster',
        number: await stores.quotas.nextNumber(),
        hardLimit: 1,
        revision: 1,
        createdAt: '2026-11-27T10:00:00.000Z',
        updatedAt: null,
      }),
    ])
    await stores.quotas.takePlace(projectId, 1)
    await stores.heartbeats.beat('reconciler')
    const items = await scanTable(stores.table)
    const keysOf = (pk: string) => items.filter((item) => item.pk?.S === pk).map((item) => item.sk?.S)
    expect(keysOf(`P#${projectId}`).sort()).toEqual([
      'CERT#c1#etcd',
      'CERT#c1#etcd/candidate',
      'DATAKEY#1',
      'NAME#TEMPLATE#n%231#t1',
      'NODEGROUP#c1#g1',
      'TEMPLATE#t1',
      'TEMPLATE#t2',
      'USAGE',
    ])
    expect(keysOf('PUBLIC').sort()).toEqual(['NAME#TEMPLATE#n%231#t1', 'TEMPLATE#t1'])
    expect(keysOf('QUOTA').sort()).toEqual(['COUNTER', `PROJECT#${projectId}#Cluster`])
    expect(keysOf('SERVICE').sort()).toEqual(['COUNTER', 'HOST#reconciler'])
  })

  it('of a cluster as the version before wrote it are read, listed and changed', async () => {
    const { client, tableName } = stores.table
    const cluster = sampleCluster({ projectId: sampleId() })
    const { task: _, queue: __, nodes: ___, magnum, uses: ____, ...others } = cluster
    const { templateProjectId: _p, templateLabels: _l, tlsDisabled: _t, ...before } = magnum
    const key = { pk: `P#${cluster.projectId}`, sk: `CLUSTER#${cluster.id}` }
    await client.send(
      new PutCommand({ TableName: tableName, Item: { ...key, schemaVersion: 1, ...others, magnum: before } }),
    )
    expect(await stores.clusters.get(cluster)).toEqual(cluster)
    expect((await stores.clusters.list(cluster.projectId, { limit: 1 })).items).toEqual([cluster])
    const task = { kind: 'resize', nodeGroupId: 'g1', nodeCount: 2, nodesToRemove: ['n1'] } as const
    const change = {
      operation: sampleOperation('update'),
      task,
      queue: [{ id: sampleId(), task, requestedAt: '2026-11-27T10:00:00.000Z' }],
    }
    await stores.commit([stores.clusters.change(cluster, change)])
    expect(await stores.clusters.get(cluster)).toEqual({ ...cluster, ...change, revision: 2 })
  })

  it('of templates and node groups keep attributes of a newer version', async () => {
    const template = sampleTemplate({ public: true })
    const group = sampleNodeGroup()
    await stores.commit([stores.templates.insert(template), stores.nodeGroups.insert(group)])
    const keys = [`TEMPLATE#${template.id}`, `NODEGROUP#${group.clusterId}#${group.id}`]
    for (const sk of keys) await alter({ pk: 'P#blue', sk }, 'invented', { later: true })
    await stores.commit([
      stores.templates.change((await stores.templates.get(template))!, { tags: 'x' }),
      stores.nodeGroups.change((await stores.nodeGroups.get(group))!, { nodeCount: 9 }),
    ])
    for (const sk of keys) {
      expect(await stored({ pk: 'P#blue', sk })).toMatchObject({ invented: { later: true }, revision: 2 })
    }
  })

  it('of a publication that say more than the template does show nothing', async () => {
    const { client, tableName } = stores.table
    const template = sampleTemplate({ projectId: sampleId() })
    await stores.commit([stores.templates.insert(template)])
    const pointer = { pk: 'PUBLIC', sk: `TEMPLATE#${template.id}`, projectId: template.projectId }
    await client.send(new PutCommand({ TableName: tableName, Item: pointer }))
    const reach = { projectId: sampleId(), allProjects: false }
    expect(await stores.templates.locate(reach, template.id)).toBeUndefined()
    const listed = (await stores.templates.listWithin(reach, { limit: 99 })).items.map(({ id }) => id)
    expect(listed).not.toContain(template.id)
  })

  it('of an authority can not be opened in another place, such as that of its candidate', async () => {
    const { client, tableName } = stores.table
    const key = { projectId: 'blue', clusterId: 'c1', type: 'kubernetes', candidate: true } as const
    const material = { certificatePem: 'pem', privateKey: new Secret('key') }
    await stores.commit([await stores.certificates.seal(key, material)])
    const item = await stored({ pk: 'P#blue', sk: 'CERT#c1#kubernetes/candidate' })
    await client.send(new PutCommand({ TableName: tableName, Item: { ...item, sk: 'CERT#c1#kubernetes' } }))
    const moved = stores.certificates.open({ ...key, candidate: false })
    await expect(moved).rejects.toMatchObject({ name: 'CredentialUnreadable' })
  })

  it('keep attributes of a newer version through a change of ours', async () => {
    const cluster = sampleCluster()
    const key = { pk: 'P#blue', sk: `CLUSTER#${cluster.id}` }
    await stores.commit([stores.clusters.insert(cluster)])
    await alter(key, 'invented', { later: true })
    await stores.commit([stores.clusters.change((await stores.clusters.get(cluster))!, { statusReason: 'x' })])
    expect(await stored(key)).toMatchObject({ invented: { later: true }, statusReason: 'x', revision: 2 })
  })

  it('that are broken fail each read with ItemCorrupt, which tells no value', async () => {
    const projectId = sampleId()
    const cluster = sampleCluster({ projectId })
    await stores.commit([stores.clusters.insert(cluster)])
    await alter({ pk: `P#${projectId}`, sk: `CLUSTER#${cluster.id}` }, 'status', 'marker-value')
    const reads = [
      stores.clusters.get(cluster),
      stores.clusters.getMany(projectId, [cluster.id]),
      stores.clusters.list(projectId, { limit: 1 }),
    ]
    for (const result of await Promise.allSettled(reads)) {
      const { reason } = result as PromiseRejectedResult
      expect(reason).toMatchObject({ name: 'ItemCorrupt', details: { attributes: ['status'] } })
      expect(JSON.stringify([reason, reason.message])).not.toContain('marker-value')
    }
  })

  it('of a credential can not be read in another place, where a copy was put', async () => {
    const { client, tableName } = stores.table
    const key = { projectId: 'blue', owner: 'cluster/c1', purpose: 'kubeconfig' }
    await stores.commit([await stores.credentials.seal(key, new Secret('secret'))])
    const item = await stored({ pk: 'P#blue', sk: 'CRED#cluster/c1#kubeconfig' })
    await client.send(new PutCommand({ TableName: tableName, Item: { ...item, sk: 'CRED#cluster/c2#kubeconfig' } }))
    const other = stores.credentials.get({ ...key, owner: 'cluster/c2' })
    await expect(other).rejects.toMatchObject({ name: 'CredentialUnreadable' })
  })

  describe('a template of before ids were reserved', () => {
    const reservation = (id: string) => ({ pk: `TEMPLATE#${id}`, sk: 'OWNER' })
    const forget = (id: string) =>
      stores.table.client.send(new DeleteCommand({ TableName: stores.table.tableName, Key: reservation(id) }))
    const old = async () => {
      const template = sampleTemplate({ projectId: sampleId() })
      await stores.commit([stores.templates.insert(template)])
      await forget(template.id)
      return template
    }

    it('gets its reservation with its next change', async () => {
      const template = await old()
      await stores.commit([stores.templates.change(template, { tags: 'x' })])
      expect(await stored(reservation(template.id))).toMatchObject({ owner: template.projectId })
    })

    it('is changed and removed also when another project has the id by now', async () => {
      const template = await old()
      await stores.commit([stores.templates.insert({ ...template, projectId: 'other' })])
      await stores.commit([stores.templates.change(template, { tags: 'x' })])
      await stores.commit([stores.templates.remove({ ...template, revision: 2 })])
      expect(await stores.templates.get(template)).toBeUndefined()
      expect(await stored(reservation(template.id))).toMatchObject({ owner: 'other' })
    })

    it('is found by its own project beside another’s of the same id, and only one of the two is published', async () => {
      const template = await old()
      const theirs = { ...template, projectId: 'other' }
      await stores.commit([stores.templates.insert(theirs)])
      await stores.commit([stores.templates.change(theirs, { public: true })])
      expect(await stores.templates.locate({ ...template, allProjects: false }, template.id)).toEqual(template)
      const second = stores.commit([stores.templates.change(template, { public: true })])
      await expect(second).rejects.toMatchObject({ name: 'AlreadyExists' })
      expect(await stores.templates.get(template)).toEqual(template)
    })
  })
})
