import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ClusterContext } from '../../../functions/drivers/contract/cluster-driver.ts'
import { ChangeRefused } from '../../../functions/drivers/contract/errors.ts'
import { ConnectFailed } from '../../../functions/kubernetes/errors.ts'
import { changeCluster, givenTemplate, readCluster, readGroups } from '../../support/api/entities.ts'
import { type Answer, type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { CAROL, countsOf, givenManaged, givenManagement, postManaged } from '../../support/api/management.ts'
import type { CallOptions } from '../../support/api/request.ts'

/** Whoever makes a cluster is asked before anything is stored (decision 0017). */

let lab: ApiLab
let cluster: string
let asked: ClusterContext[]
beforeAll(async () => {
  lab = await createApiLab()
  await givenManagement(lab, { name: 'mgmt' })
})
afterAll(() => lab.dispose())
beforeEach(async () => {
  asked = []
  lab.managed.preview = async (context) => {
    asked.push(context)
  }
  const { id } = await givenTemplate(lab, {
    name: 'old',
    driver: 'managed@1',
    spec: { labels: { kube_tag: 'v1.35.0' } },
  })
  cluster = await givenManaged(lab, { cluster_template_id: id })
  const endpoint = { server: 'https://a', serverForPeers: null, caPem: null, tlsServerName: null, tlsVerify: true }
  await changeCluster(lab, cluster, { endpoint }, CAROL)
  asked.length = 0
})

const call = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  lab.call(method, `/v1/clusters/${cluster}${path}`, {
    as: CAROL,
    headers: { 'OpenStack-API-Version': 'container-infra latest' },
    ...options,
  })

const CHANGES: [what: string, kind: string, ask: () => Promise<Answer>][] = [
  ['a resize', 'resize', () => call('POST', '/actions/resize', { body: { node_count: 3 } })],
  ['a patched count', 'resize', () => call('PATCH', '', { body: { node_count: 3 } })],
  ['a new node group', 'node-group-create', () => call('POST', '/nodegroups', { body: { name: 'gpu' } })],
  [
    'a changed node group',
    'node-group-update',
    () => call('PATCH', '/nodegroups/default-worker', { body: [{ op: 'replace', path: '/max_node_count', value: 5 }] }),
  ],
  [
    'an upgrade',
    'upgrade',
    async () => {
      const { id } = await givenTemplate(lab, { driver: 'managed@1', spec: { labels: { kube_tag: 'v1.36.0' } } })
      return call('POST', '/actions/upgrade', { body: { cluster_template: id, max_batch_size: 1 } })
    },
  ],
]

describe('a preview', () => {
  it('is asked of a new cluster as it shall be', async () => {
    expect((await postManaged(lab, { name: 'new', node_count: 4 })).status).toBe(202)
    const [context] = asked
    expect(context).toMatchObject({ task: null, cluster: { name: 'new' } })
    expect(context?.nodeGroups.map(({ nodeCount }) => nodeCount)).toEqual([1, 4])
    expect((await context?.management())?.options).toEqual({ infrastructure: 'dev' })
    expect(await context?.cloudCredential()).toBeUndefined()
  })

  it.each([
    ['with the words of whoever refuses it', new ChangeRefused('The webhook says no.'), 400],
    ['when nobody can be asked', new ConnectFailed('The management cluster refused the connection.'), 503],
  ])('keeps a cluster from being made, %s', async (_, error, status) => {
    lab.managed.preview = () => Promise.reject(error)
    const before = await countsOf(lab)
    const answer = await postManaged(lab, { name: 'refused' })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, error.message])
    expect(await lab.stores.clusters.findByName('blue', 'refused')).toEqual([])
    expect(await countsOf(lab)).toEqual(before)
  })

  it.each(CHANGES)('is asked of %s', async (_, kind, ask) => {
    expect((await ask()).status).toBe(202)
    expect(asked.map(({ task }) => task?.kind)).toEqual([kind])
    expect(asked[0]?.cluster).toMatchObject({ id: cluster, operation: null })
  })

  it.each(CHANGES)('keeps %s from being stored', async (_, _kind, ask) => {
    lab.managed.preview = () => Promise.reject(new ChangeRefused('The webhook says no.'))
    const before = [await readCluster(lab, cluster, CAROL), await readGroups(lab, cluster, CAROL)]
    const answer = await ask()
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, 'The webhook says no.'])
    expect([await readCluster(lab, cluster, CAROL), await readGroups(lab, cluster, CAROL)]).toEqual(before)
  })

  it('is asked of a node group that goes', async () => {
    const { body } = await call('POST', '/nodegroups', { body: { name: 'gpu' } })
    await changeCluster(lab, cluster, { status: 'UPDATE_COMPLETE', operation: null, task: null }, CAROL)
    expect((await call('DELETE', `/nodegroups/${body.uuid}`)).status).toBe(204)
    expect(asked.map(({ task }) => task?.kind)).toEqual(['node-group-create', 'node-group-delete'])
  })

  it('is not asked of a change that has to wait: its phases ask when its turn comes', async () => {
    expect((await call('POST', '/actions/resize', { body: { node_count: 3 } })).status).toBe(202)
    expect((await call('POST', '/nodegroups', { body: { name: 'gpu' } })).status).toBe(202)
    expect(asked).toHaveLength(1)
  })

  it('is asked of a change that takes the place of the one that runs', async () => {
    expect((await call('POST', '/actions/resize', { body: { node_count: 3 } })).status).toBe(202)
    expect((await call('POST', '/actions/resize', { body: { node_count: 5 } })).status).toBe(202)
    expect(asked.map(({ task }) => task)).toMatchObject([{ nodeCount: 3 }, { nodeCount: 5 }])
  })

  it('keeps a change from taking the place of the one that runs', async () => {
    expect((await call('POST', '/actions/resize', { body: { node_count: 3 } })).status).toBe(202)
    const before = [await readCluster(lab, cluster, CAROL), await readGroups(lab, cluster, CAROL)]
    lab.managed.preview = () => Promise.reject(new ChangeRefused('The webhook says no.'))
    const answer = await call('POST', '/actions/resize', { body: { node_count: 5 } })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, 'The webhook says no.'])
    expect([await readCluster(lab, cluster, CAROL), await readGroups(lab, cluster, CAROL)]).toEqual(before)
  })

  it('is not asked when the driver’s own check refuses the change', async () => {
    expect((await call('POST', '/actions/resize', { body: { node_count: 5000 } })).status).toBe(400)
    expect(asked).toEqual([])
  })
})
