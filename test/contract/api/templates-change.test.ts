import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { templateAnswer } from '../../../functions/api/clustertemplates/template.answer.schema.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { type Answer, type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB, READER } from '../../support/api/request.ts'
import { MIA, postTemplate, useTemplate } from '../../support/api/template-calls.ts'

/** Administrator of another project. */
const ADA: Principal = { userId: 'ada', projectId: 'green', roles: ['admin'], source: 'token-file' }

const BUILTIN = 'fed91a4e-0000-4000-8000-000000000001'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const patch = (ident: string, body: unknown, as: Principal = MIA): Promise<Answer> =>
  lab.call('PATCH', `/v1/clustertemplates/${ident}`, { as, body })

const show = async (id: string): Promise<Answer['body']> => (await lab.call('GET', `/v1/clustertemplates/${id}`)).body

const replace = (attribute: string, value: unknown) => ({ op: 'replace', path: `/${attribute}`, value })
const add = (attribute: string, value: unknown) => ({ op: 'add', path: `/${attribute}`, value })
const remove = (attribute: string) => ({ op: 'remove', path: `/${attribute}` })

describe('PATCH /v1/clustertemplates/{clustertemplate}', () => {
  it('answers 200 with the whole template, as it is read from then on', async () => {
    const id = await postTemplate(lab, { labels: { a: '1' } })
    const { status, body } = await patch(id, [
      replace('name', 'new'),
      replace('public', false),
      add('keypair_id', 'key'),
      replace('apiserver_port', 8080),
      add('labels/k', 'v'),
    ])
    expect(status).toBe(200)
    expect(templateAnswer.strict().parse(body)).toMatchObject({
      name: 'new',
      keypair_id: 'key',
      apiserver_port: 8080,
      labels: { a: '1', k: 'v' },
      updated_at: expect.stringMatching(/\+00:00$/),
    })
    expect(await show(id)).toEqual(body)
    expect((await lab.call('GET', '/v1/clustertemplates/new')).body.uuid).toBe(id)
  })

  it('takes the plain object that openstacksdk sends; null removes', async () => {
    const id = await postTemplate(lab, { keypair_id: 'key', flavor_id: 'small' })
    const { status, body } = await patch(id, { keypair_id: null, flavor_id: 'large', labels: { a: 'b' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ keypair_id: null, flavor_id: 'large', labels: { a: 'b' } })
  })

  it('takes what Terraform sends: booleans and labels as text, remove for what was emptied', async () => {
    const id = await postTemplate(lab, { http_proxy: 'http://p', labels: { old: '1' } })
    const { status, body } = await patch(id, [
      remove('http_proxy'),
      replace('master_lb_enabled', 'true'),
      replace('floating_ip_enabled', 'false'),
      replace('cluster_distro', 'fedora-coreos'),
      replace('labels', "{'kube_tag':'v1.36.2','auto_scaling_enabled':'true'}"),
      replace('docker_volume_size', '5'),
    ])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      http_proxy: null,
      master_lb_enabled: true,
      floating_ip_enabled: false,
      cluster_distro: 'fedora-coreos',
      labels: { kube_tag: 'v1.36.2', auto_scaling_enabled: 'true' },
      docker_volume_size: 5,
    })
  })

  it.each<[string, unknown, unknown]>([
    ['labels', { a: 1, b: true }, { a: '1', b: 'True' }],
    ['labels', '{"a": "json"}', { a: 'json' }],
    ['labels', "{'a': 'it\\'s', 'b': 2}", { a: "it's", b: '2' }],
    ['labels/a.b~1c', 'x', { a: '1', 'a.b/c': 'x' }],
    ['public', 'False', false],
    ['registry_enabled', 'on', true],
    ['tls_disabled', 1, true],
    ['dns_nameserver', '1.1.1.1, 8.8.8.8', '1.1.1.1,8.8.8.8'],
    ['tags', 'a,b', 'a,b'],
    ['network_driver', 'cilium', 'cilium'],
    ['flavor_id', 'm1.small', 'm1.small'],
  ])('sets /%s to %j', async (attribute, value, shown) => {
    const id = await postTemplate(lab, { labels: { a: '1' } })
    const op = attribute.includes('/') ? add : replace
    const { status, body } = await patch(id, [op(attribute, value)])
    expect([status, body[attribute.split('/')[0] ?? '']]).toEqual([200, shown])
  })

  it('removes the name: null from then on, found by id only', async () => {
    const id = await postTemplate(lab, { name: 'nameless' })
    expect((await patch(id, [remove('name')])).body.name).toBeNull()
    expect((await show(id)).name).toBeNull()
    expect((await lab.call('GET', '/v1/clustertemplates/nameless')).status).toBe(404)
    expect((await patch(id, [add('name', 'back')])).body.name).toBe('back')
    expect((await lab.call('GET', '/v1/clustertemplates/back')).body.uuid).toBe(id)
  })

  it('removes the labels: null in that answer, none later', async () => {
    const id = await postTemplate(lab, { labels: { a: '1' } })
    expect((await patch(id, [remove('labels')])).body.labels).toBeNull()
    expect((await show(id)).labels).toEqual({})
    expect((await patch(id, [add('labels/k', 'v')])).body.labels).toEqual({ k: 'v' })
    expect((await patch(id, [remove('labels/k')])).body.labels).toEqual({})
  })

  it('gives booleans that can be removed their defaults back', async () => {
    const id = await postTemplate(lab, { floating_ip_enabled: false, master_lb_enabled: true })
    const { body } = await patch(id, [remove('floating_ip_enabled'), remove('master_lb_enabled')])
    expect(body).toMatchObject({ floating_ip_enabled: true, master_lb_enabled: false })
  })

  it.each([
    'coe',
    'image_id',
    'network_driver',
    'external_network_id',
    'tls_disabled',
    'public',
    'server_type',
    'registry_enabled',
    'cluster_distro',
    'hidden',
  ])('does not remove /%s', async (attribute) => {
    const id = await postTemplate(lab)
    const { status, body } = await patch(id, [remove(attribute)])
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining("can't be removed")])
  })

  it.each<[unknown, string]>([
    [[add('name', 'x')], 'is set already'],
    [[add('labels', {})], 'is set already'],
    [[add('public', false)], 'is set already'],
    [[replace('color', 'red')], 'Cannot change "/color"'],
    [[replace('uuid', 'x')], 'Cannot change "/uuid"'],
    [[replace('driver', 'memory@1')], 'Cannot change "/driver"'],
    [[replace('project_id', 'x'), replace('links', [])], 'Cannot change "/project_id" and "/links"'],
    [[replace('flavor_id', '')], 'use "remove"'],
    [[replace('flavor_id', null)], 'needs a "value" that is not null'],
    [[replace('flavor_id', ['x'])], '"flavor_id" must be text'],
    [[replace('apiserver_port', 0)], '"apiserver_port" must be an integer from 1024'],
    [[replace('docker_volume_size', 0)], '"docker_volume_size" must be an integer from 1'],
    [[replace('docker_storage_driver', 'devicemapper')], 'at least 3 (GB)'],
    [[replace('public', 'perhaps')], '"public" must be a boolean'],
    [[replace('coe', 'swarm')], '"coe" must be "kubernetes"'],
    [[replace('labels', 'a=b')], 'must be a dictionary of texts'],
    [[replace('labels/none', 'x')], 'has no such key'],
    [[remove('labels/none')], 'has no such key'],
    [[replace('flavor_id/x', 'y')], 'can only be changed as a whole'],
    [[{ op: 'move', path: '/name', from: '/tags' }], 'unknown key'],
    [[{ op: 'test', path: '/name', value: 'x' }], 'must be "add", "replace" or "remove"'],
    [[{ op: 'replace', path: 'name', value: 'x' }], 'no JSON Pointer'],
    [[replace('name', 'x'), replace('apiserver_port', 1)], '"apiserver_port"'],
    ['"text"', 'must be a list'],
    [{ color: 'red' }, 'Cannot change "/color"'],
  ])('refuses %j and changes nothing', async (body, sentence) => {
    const id = await postTemplate(lab, { docker_volume_size: 2 })
    const before = await show(id)
    const answer = await patch(id, body)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining(sentence)])
    expect(await show(id)).toEqual(before)
  })

  it('accepts a patch that changes nothing, and leaves the time of the last change', async () => {
    const id = await postTemplate(lab, { name: 'still' })
    for (const body of [[], {}, [replace('name', 'still')]]) {
      const answer = await patch(id, body)
      expect([answer.status, answer.body.updated_at]).toEqual([200, null])
    }
  })

  it('keeps both of two changes that meet', async () => {
    const id = await postTemplate(lab)
    const keys = ['a', 'b', 'c', 'd']
    const answers = await Promise.all(keys.map((key) => patch(id, [add(`labels/${key}`, key)])))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await show(id)).labels).toEqual({ a: 'a', b: 'b', c: 'c', d: 'd' })
  })

  it('publishes and withdraws', async () => {
    const id = await postTemplate(lab)
    const seenByBob = async (): Promise<number> =>
      (await lab.call('GET', `/v1/clustertemplates/${id}`, { as: BOB })).status
    const seen: number[] = [await seenByBob()]
    for (const change of [
      replace('public', true),
      replace('hidden', 'True'),
      replace('hidden', false),
      replace('public', 'false'),
    ]) {
      expect((await patch(id, [change], ALICE)).status).toBe(200)
      seen.push(await seenByBob())
    }
    expect(seen).toEqual([404, 200, 404, 200, 404])
  })
})

describe('who may change', () => {
  it.each([
    [{}, { public: true }],
    [{}, { hidden: true }],
    [{ public: true, hidden: true }, { hidden: false }],
  ])('tells a member that of %j %j is an administrator’s to set', async (given, change) => {
    const id = await postTemplate(lab, given)
    const { status, body } = await patch(id, { ...change, name: 'changed' })
    expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('Only an administrator may')])
    expect((await show(id)).name).not.toBe('changed')
  })

  it('lets a member withdraw, and rename what is public', async () => {
    const id = await postTemplate(lab, { public: true })
    expect((await patch(id, { name: 'renamed' })).status).toBe(200)
    expect((await patch(id, { public: false })).status).toBe(200)
  })

  it.each<[string, unknown]>([
    ['PATCH', { name: 'mine' }],
    ['DELETE', undefined],
  ])('%s: not readers, not members of other projects, nobody for what is built in', async (method, body) => {
    const own = await postTemplate(lab)
    const published = await postTemplate(lab, { public: true })
    const call = async (ident: string, as: Principal): Promise<[number, string]> => {
      const answer = await lab.call(method, `/v1/clustertemplates/${ident}`, { as, body })
      return [answer.status, answer.body?.errors[0].detail]
    }
    expect(await call(own, READER)).toEqual([403, expect.stringContaining('clustertemplate:')])
    expect(await call(own, BOB)).toEqual([404, expect.any(String)])
    expect(await call(published, BOB)).toEqual([403, expect.stringContaining('belongs to another project')])
    expect(await call(BUILTIN, ALICE)).toEqual([403, expect.stringContaining('belongs to this installation')])
    expect(await call('external', BOB)).toEqual([403, expect.stringContaining('belongs to this installation')])
    for (const id of [own, published]) expect((await lab.call('GET', `/v1/clustertemplates/${id}`)).status).toBe(200)
  })

  it('is an administrator in every project', async () => {
    const id = await postTemplate(lab, {}, MIA)
    const { status, body } = await patch(id, { name: 'by-ada' }, ADA)
    expect([status, body.name, body.project_id, body.user_id]).toEqual([200, 'by-ada', 'blue', 'mia'])
    expect((await lab.call('DELETE', `/v1/clustertemplates/${id}`, { as: ADA })).status).toBe(204)
  })

  it('gets 404 for what is not there', async () => {
    expect((await patch('nobody', [])).status).toBe(404)
    expect((await lab.call('DELETE', '/v1/clustertemplates/nobody')).status).toBe(404)
  })
})

describe('a template that clusters use', () => {
  let id: string
  let cluster: string
  beforeAll(async () => {
    id = await postTemplate(lab, { name: 'used', public: true })
    cluster = await useTemplate(lab, { id }, { name: 'user-1' })
  })

  it.each<[string, unknown]>([
    ['the name', [replace('name', 'still-used')]],
    ['the name, taken away', [remove('name')]],
    ['the tags', [replace('tags', 'a')]],
    ['hidden', [replace('hidden', true)]],
    ['hidden, back again', [replace('hidden', 'false')]],
  ])('may change %s alone', async (_what, body) => {
    expect((await patch(id, body, ALICE)).status).toBe(200)
  })

  it('may be published', async () => {
    const other = await postTemplate(lab)
    await useTemplate(lab, { id: other }, { name: 'of-other' })
    expect((await patch(other, [replace('public', true)], ALICE)).body.public).toBe(true)
  })

  it.each<[string, unknown]>([
    ['what clusters are made of', [replace('image_id', 'other')]],
    ['two things at once', [replace('tags', 'x'), replace('hidden', true)]],
    ['public to false', [replace('public', false)]],
    ['nothing', []],
    ['nothing really', [replace('image_id', 'ubuntu')]],
  ])('may not change %s, and says which clusters are in the way', async (_what, body) => {
    const before = await show(id)
    const answer = await patch(id, body, ALICE)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([
      400,
      expect.stringContaining(`is used by the cluster "user-1" (${cluster}). `),
    ])
    expect(await show(id)).toEqual(before)
  })

  it('is not deleted', async () => {
    const answer = await lab.call('DELETE', `/v1/clustertemplates/${id}`)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([
      400,
      expect.stringContaining(`it is used by the cluster "user-1" (${cluster})`),
    ])
    expect((await show(id)).uuid).toBe(id)
  })

  it('advises what the caller may do, in what clients print', async () => {
    const member = { ...ALICE, roles: ['member', 'reader'] } satisfies typeof ALICE
    const told = async (as: typeof ALICE) => [
      (await lab.call('DELETE', `/v1/clustertemplates/${id}`, { as })).body.errors[0].title,
      (await patch(id, [replace('image_id', 'other')], as)).body.errors[0].title,
    ]
    expect(await told(ALICE)).toEqual([
      expect.stringMatching(
        /upgrade them to another template, and try again\. Until then "hidden" keeps all but admin/,
      ),
      expect.stringContaining('one of "name", "hidden", "tags" and "public" (to true) can be changed per request'),
    ])
    expect(await told(member)).toEqual([
      expect.stringMatching(/upgrade them to another template, and try again\.$/),
      expect.stringContaining('either "name" or "tags" can be changed per request'),
    ])
  })

  it('names clusters of other projects to administrators only', async () => {
    const shared = await postTemplate(lab, { public: true })
    const mine = await useTemplate(lab, { id: shared }, { name: 'mine' })
    const foreign = await useTemplate(lab, { id: shared }, { name: 'foreign', as: BOB })
    const detailFor = async (as: Principal): Promise<string> =>
      (await lab.call('DELETE', `/v1/clustertemplates/${shared}`, { as })).body.errors[0].detail
    expect(await detailFor(MIA)).toContain(`the cluster "mine" (${mine}), and 1 cluster of other projects.`)
    expect(await detailFor(ALICE)).toContain(`the clusters "mine" (${mine}) and "foreign" (${foreign}).`)
  })

  it.each<[string, unknown]>([
    ['PATCH', [replace('image_id', 'x')]],
    ['DELETE', undefined],
  ])('is found out when the cluster comes between the read and the write of %s', async (method, body) => {
    const raced = await postTemplate(lab)
    const { templates } = lab.stores
    const unused = await templates.get({ projectId: 'blue', id: raced })
    await useTemplate(lab, { id: raced }, { name: 'racer' })
    let reads = 0
    const behind: typeof templates = {
      ...templates,
      locate: async (reach, ident) => (reads++ === 0 ? unused : templates.locate(reach, ident)),
    }
    const app = lab.appOver({ stores: { ...lab.stores, templates: behind } })
    const answer = await callApp(app, method, `/v1/clustertemplates/${raced}`, { body })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining('cluster "racer"')])
    expect(reads).toBeGreaterThan(1)
  })
})

describe('DELETE /v1/clustertemplates/{clustertemplate}', () => {
  it('answers 204, and it is gone', async () => {
    const id = await postTemplate(lab, { name: 'gone', public: true })
    const { status, text } = await lab.call('DELETE', '/v1/clustertemplates/gone', { as: MIA })
    expect([status, text]).toEqual([204, ''])
    expect((await lab.call('GET', `/v1/clustertemplates/${id}`)).status).toBe(404)
    expect((await lab.call('DELETE', `/v1/clustertemplates/${id}`)).status).toBe(404)
  })

  it('takes the headers of the openstack client', async () => {
    const id = await postTemplate(lab)
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': '0' }
    expect((await lab.call('DELETE', `/v1/clustertemplates/${id}`, { headers })).status).toBe(204)
  })

  it('refuses a name that two have', async () => {
    await postTemplate(lab, { name: 'double' })
    await postTemplate(lab, { name: 'double' })
    expect((await lab.call('DELETE', '/v1/clustertemplates/double')).status).toBe(409)
  })
})
