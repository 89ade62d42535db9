import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { ClusterTemplate } from '../../../functions/core/cluster/cluster-template.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import {
  changeCluster,
  givenCluster,
  givenTemplate,
  readCluster,
  readGroups,
  settleCluster,
} from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB, READER } from '../../support/api/request.ts'

let lab: ApiLab
let current: ClusterTemplate
let next: ClusterTemplate
beforeAll(async () => {
  lab = await createApiLab()
  current = await givenTemplate(lab, { name: 'current' })
  next = await givenTemplate(lab, { name: 'next' })
  await givenTemplate(lab, { name: 'rigid', driver: 'rigid@1' })
  await givenTemplate(lab, { name: 'private', projectId: 'green' })
})
afterAll(() => lab.dispose())

const upgrade = (id: string, body: unknown, version = '1.8') =>
  lab.call('POST', `/v1/clusters/${id}/actions/upgrade`, {
    body,
    headers: { 'OpenStack-API-Version': `container-infra ${version}` },
  })

const to = (cluster_template: string, more: object = {}) => ({ cluster_template, max_batch_size: 1, ...more })

/** A cluster of the template `current`, with a third node group `more`. */
const given = async (status: Cluster['status'] = 'CREATE_COMPLETE', labels: object = {}): Promise<string> => {
  const id = await givenCluster(lab, { status, body: { cluster_template_id: current.id, labels } })
  const [, worker] = await readGroups(lab, id)
  if (worker === undefined) throw new Error('there is no group of workers')
  const more = { ...worker, id: lab.ports.newId(), number: 3, name: 'more', isDefault: false }
  await lab.stores.commit([lab.stores.nodeGroups.insert(more)])
  return id
}

/** Refusals leave it as it is, so that one is enough for all of them. */
let refusing: string
beforeAll(async () => {
  refusing = await given()
})

const statuses = async (id: string) => (await readGroups(lab, id)).map(({ status }) => status)

describe('section 4.6: upgrade', () => {
  it('is 202 with the uuid only', async () => {
    const id = await given()
    const { status, body } = await upgrade(id, to('next'))
    expect([status, body]).toEqual([202, { uuid: id }])
  })

  it('shows UPDATE_IN_PROGRESS at once, on the cluster and its default groups, and the template when it is over', async () => {
    const id = await given()
    await upgrade(id, to(next.id, { max_batch_size: 3 }))
    expect(await statuses(id)).toEqual(['UPDATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'CREATE_COMPLETE'])
    expect(await readCluster(lab, id)).toMatchObject({
      status: 'UPDATE_IN_PROGRESS',
      task: { kind: 'upgrade', templateId: next.id, templateProjectId: 'blue', nodeGroupId: null, maxBatchSize: 3 },
      magnum: { clusterTemplateId: current.id },
    })
    expect(lab.executions.starts.at(-1)).toMatchObject({ flow: 'cluster-update', input: { entityId: id } })
  })

  it('takes the place of one that runs (decision 0024): the way out of one that never ends', async () => {
    const id = await given()
    await upgrade(id, to('next'))
    expect((await upgrade(id, to('current'))).status).toBe(202)
    const { task, queue, operation } = await readCluster(lab, id)
    expect([task, queue, operation?.supersedes.length]).toMatchObject([{ templateId: current.id }, [], 1])
    expect(await statuses(id)).toEqual(['UPDATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'CREATE_COMPLETE'])
  })

  it('of the cluster waits for that of a group, and the other way round: 400', async () => {
    const id = await given()
    await upgrade(id, to('current', { nodegroup: 'more' }))
    expect((await upgrade(id, to('next'))).status).toBe(400)
    expect((await upgrade(id, to('current', { nodegroup: 'more' }))).status).toBe(202)
  })

  it.each([{ max_batch_size: null, nodegroup: null }, {}])('takes no batch size as 1: %j', async (rest) => {
    const id = await given()
    await upgrade(id, { cluster_template: 'next', ...rest })
    expect((await readCluster(lab, id)).task).toMatchObject({ maxBatchSize: 1 })
  })

  it('of another node group is to the cluster’s own template', async () => {
    const id = await given()
    expect((await upgrade(id, to(current.id, { nodegroup: 'more' }))).status).toBe(202)
    expect(await statuses(id)).toEqual(['CREATE_COMPLETE', 'CREATE_COMPLETE', 'UPDATE_IN_PROGRESS'])
    const [, , more] = await readGroups(lab, id)
    expect((await readCluster(lab, id)).task).toMatchObject({ nodeGroupId: more?.id, templateId: current.id })
  })

  it('of a default group to another template is of the cluster', async () => {
    const id = await given()
    await upgrade(id, to('next', { nodegroup: 'default-worker' }))
    expect((await readCluster(lab, id)).task).toMatchObject({ nodeGroupId: null, templateId: next.id })
  })

  it('finds the cluster’s own template when it is published no longer', async () => {
    const theirs = await givenTemplate(lab, { projectId: 'green', public: true })
    const id = await givenCluster(lab, { body: { cluster_template_id: theirs.id } })
    await lab.stores.commit([lab.stores.templates.change({ ...theirs, clusterCount: 1 }, { public: false })])
    expect((await upgrade(id, to(theirs.id))).status).toBe(202)
  })

  type Row = [what: string, body: unknown, version: string, status: number, detail: string]

  it.each<Row>([
    ['below 1.7', to('next'), '1.6', 406, ''],
    ['at 1.7', to('next'), '1.7', 400, 'it can from 1.8 on'],
    ['no body', undefined, '1.8', 400, 'must be a JSON object'],
    ['no template', { max_batch_size: 1 }, '1.8', 404, 'names no cluster template'],
    ['a null template', to(null as unknown as string), '1.8', 404, 'names no cluster template'],
    ['an empty batch', to('next', { max_batch_size: 0 }), '1.8', 400, '"max_batch_size" must be an integer from 1'],
    ['an unknown attribute', to('next', { colour: 1 }), '1.8', 400, 'Unknown attribute: "colour"'],
    ['an unknown template', to('none'), '1.8', 404, 'ClusterTemplate "none" could not be found'],
    ['another project’s private template', to('private'), '1.8', 404, 'could not be found'],
    ['an unknown node group', to('next', { nodegroup: 'none' }), '1.8', 404, 'NodeGroup "none" could not be found'],
    [
      'another node group to another template',
      to('next', { nodegroup: 'more' }),
      '1.8',
      409,
      'the template that its cluster has',
    ],
    ['a template of another driver', to('rigid'), '1.8', 400, 'is for the driver rigid@1'],
    ['a built-in template', to('external'), '1.8', 400, 'is built in'],
  ])('refuses %s', async (...[, body, version, status, detail]) => {
    const id = refusing
    const before = await readCluster(lab, id)
    const answer = await upgrade(id, body, version)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, expect.stringContaining(detail)])
    expect(await readCluster(lab, id)).toEqual(before)
  })

  it.each<[Cluster['status'], number]>([
    ['CREATE_COMPLETE', 202],
    ['UPDATE_COMPLETE', 202],
    ['UPDATE_FAILED', 400],
    ['UPDATE_IN_PROGRESS', 400],
    ['CREATE_IN_PROGRESS', 400],
    ['CREATE_FAILED', 400],
    ['DELETE_IN_PROGRESS', 400],
    ['DELETE_FAILED', 400],
  ])('section 9.3: on %s is %i, told at once', async (status, expected) => {
    expect((await upgrade(await given(status), to('next'))).status).toBe(expected)
  })

  it.each([
    ['has no template', { kubeconfig: kubeconfigText() }, 'kubeconfig@1'],
    ['can not', { driver: 'rigid@1' }, 'rigid@1'],
  ])('of a cluster whose driver %s is 400 naming it', async (_what, body, driver) => {
    const answer = await upgrade(await givenCluster(lab, { body }), to('next'))
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining(driver)])
  })

  it('that the driver refuses is 400 with its sentence', async () => {
    const id = await given()
    const { magnum } = await readCluster(lab, id)
    await changeCluster(lab, id, { magnum: { ...magnum, labels: { refused: 'Too old.' } } })
    const answer = await upgrade(id, to('next'))
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, 'Too old.'])
  })

  it('by an administrator of another project sees templates as the cluster’s project does', async () => {
    const admin = { ...BOB, roles: ['admin'] as const }
    const options = { as: admin, headers: { 'OpenStack-API-Version': 'container-infra 1.8' } }
    const id = await given()
    const answers = [
      await lab.call('POST', `/v1/clusters/${id}/actions/upgrade`, { ...options, body: to('private') }),
      await lab.call('POST', `/v1/clusters/${id}/actions/upgrade`, { ...options, body: to('next') }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 202])
  })

  const failedOn = async (failed: Partial<Record<string, NodeGroup['status']>>): Promise<string> => {
    const id = await given('UPDATE_FAILED')
    for (const group of await readGroups(lab, id)) {
      const status = failed[group.name] ?? 'UPDATE_COMPLETE'
      await lab.stores.commit([lab.stores.nodeGroups.change(group, { status })])
    }
    return id
  }

  it.each<[string, Partial<Record<string, NodeGroup['status']>>, RegExp]>([
    [
      'names the failed groups and a request that repairs one',
      { 'default-master': 'UPDATE_FAILED', 'default-worker': 'UPDATE_FAILED' },
      /change each of the failed node groups "default-master" and "default-worker" once, .*PATCH \/v1\/clusters\/[0-9a-f-]{36}\/nodegroups\/[0-9a-f-]{36} \[\{"op":"replace","path":"\/min_node_count","value":0\}\]\)\.$/,
    ],
    [
      'names those that can only be deleted',
      { 'default-worker': 'UPDATE_FAILED', more: 'CREATE_FAILED' },
      /node group "default-worker" once, .* and delete the failed node group "more"\.$/,
    ],
    ['names only those', { more: 'DELETE_FAILED' }, /To get there, delete the failed node group "more"\.$/],
    ['names any group when none failed', {}, /change any node group once, .*\/nodegroups\/[0-9a-f-]{36} /],
  ])('of a cluster that is UPDATE_FAILED %s', async (_what, failed, detail) => {
    const answer = await upgrade(await failedOn(failed), to('next'))
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringMatching(detail)])
  })

  it.each(['default-master', 'default-worker'])(
    'of a cluster that is UPDATE_FAILED for %s names a request that is accepted then',
    async (failed) => {
      const id = await failedOn({ [failed]: 'UPDATE_FAILED' })
      const { detail } = (await upgrade(id, to('next'))).body.errors[0]
      const [, path = '', body = ''] = /PATCH (\S+) (\[.*\])\)/.exec(detail) ?? []
      const headers = { 'OpenStack-API-Version': 'container-infra latest' }
      const answer = await lab.call('PATCH', path, { body: JSON.parse(body), headers })
      expect([answer.status, answer.body.name, answer.body.status]).toEqual([202, failed, 'UPDATE_IN_PROGRESS'])
    },
  )

  const failedBy = async (failed: Partial<Record<string, NodeGroup['failedTask']>>): Promise<string> => {
    const id = await given('UPDATE_FAILED')
    for (const group of await readGroups(lab, id)) {
      const failedTask = failed[group.name] ?? null
      const status = failedTask === null ? 'UPDATE_COMPLETE' : 'UPDATE_FAILED'
      await lab.stores.commit([lab.stores.nodeGroups.change(group, { status, failedTask })])
    }
    return id
  }

  it.each<[string, Partial<Record<string, NodeGroup['failedTask']>>, number]>([
    ['an upgrade', { 'default-master': 'upgrade', 'default-worker': 'upgrade' }, 202],
    ['the upgrade of another group', { more: 'upgrade' }, 202],
    ['a resize', { 'default-worker': 'resize' }, 400],
    ['an upgrade and a resize', { 'default-master': 'upgrade', more: 'resize' }, 202],
    ['an upgrade and a new group', { 'default-master': 'upgrade', more: 'node-group-create' }, 202],
    ['a resize of one group and new limits of another', { 'default-worker': 'resize', more: 'node-group-update' }, 400],
    ['something else than node groups', {}, 400],
  ])(
    'decision 0025: of a cluster that is UPDATE_FAILED by %s is accepted when another one repairs it',
    async (...[, failed, expected]) => {
      const id = await failedBy(failed)
      expect((await upgrade(id, to('next'))).status).toBe(expected)
    },
  )

  it('to a hidden template is for administrators, like making a cluster from one', async () => {
    const hidden = await givenTemplate(lab, { name: 'hidden', hidden: true })
    const as = { ...ALICE, roles: ['member'] as const }
    const call = (id: string, body: unknown, more: object = {}) =>
      lab.call('POST', `/v1/clusters/${id}/actions/upgrade`, {
        ...more,
        body,
        headers: { 'OpenStack-API-Version': 'container-infra 1.8' },
      })
    const id = await given()
    const refused = await call(id, to(hidden.id), { as })
    expect([refused.status, refused.body.errors[0].detail]).toEqual([403, expect.stringContaining('is hidden')])
    expect((await readCluster(lab, id)).task).toBeNull()
    expect((await call(id, to(hidden.id))).status).toBe(202)
    await settleCluster(lab, id, {
      status: 'UPDATE_COMPLETE',
      magnum: { ...(await readCluster(lab, id)).magnum, clusterTemplateId: hidden.id },
    })
    expect((await call(id, to(hidden.id, { nodegroup: 'more' }), { as })).status).toBe(202)
  })

  it('uses the new template from its 202 on: it can be neither deleted nor changed, which names the cluster', async () => {
    const target = await givenTemplate(lab, { name: 'target' })
    const id = await given()
    await upgrade(id, to(target.id))
    const answers = [
      await lab.call('DELETE', `/v1/clustertemplates/${target.id}`),
      await lab.call('PATCH', `/v1/clustertemplates/${target.id}`, {
        body: [{ op: 'replace', path: '/image_id', value: 'other' }],
      }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.errors[0].detail]).toEqual([
        400,
        expect.stringContaining(`the cluster "${(await readCluster(lab, id)).name}" (${id})`),
      ])
    }
    await lab.call('DELETE', `/v1/clusters/${id}`)
    expect((await lab.call('DELETE', `/v1/clustertemplates/${target.id}`)).status).toBe(204)
  })

  it('to a template that is deleted at the same moment is 404', async () => {
    const target = await givenTemplate(lab, { name: 'fleeting' })
    const id = await given()
    const { listOf } = lab.stores.nodeGroups
    lab.stores.nodeGroups.listOf = async (key) => {
      lab.stores.nodeGroups.listOf = listOf
      await lab.stores.commit([lab.stores.templates.remove(target)])
      return listOf(key)
    }
    expect((await upgrade(id, to(target.id))).status).toBe(404)
    expect((await readCluster(lab, id)).task).toBeNull()
  })

  it('of an unknown cluster is 404', async () => {
    expect((await upgrade('nobody', to('next'))).status).toBe(404)
  })

  it('section 9.4: by a reader is 403 naming the rule', async () => {
    const { status, body } = await lab.call('POST', `/v1/clusters/${await given()}/actions/upgrade`, {
      as: READER,
      body: to('next'),
      headers: { 'OpenStack-API-Version': 'container-infra 1.8' },
    })
    expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('cluster:upgrade')])
  })
})
