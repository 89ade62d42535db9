import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
import { callGroups, changeGroup, givenGroup, givenReachable } from '../../support/api/node-groups.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const LABELS_MAX = 16_384
const MARKS_MAX = 8192

/** One entry that makes a map of so many bytes as JSON: `{"a":"…"}`. */
const mapOf = (bytes: number, key = 'a'): Record<string, string> => ({ [key]: 'x'.repeat(bytes - key.length - 7) })

const refusal = (attribute: string, bytes: number, max = LABELS_MAX): string =>
  `"${attribute}" would have ${bytes} bytes; at most ${max} are allowed.`

const givenLabels = (labels: Record<string, string>) => givenTemplate(lab, { driver: 'memory@1', spec: { labels } })

describe('POST /v1/clusters', () => {
  it('takes labels of 16 KiB, and not a byte more', async () => {
    const create = (labels: object) => lab.call('POST', '/v1/clusters', { body: { driver: 'memory@1', labels } })
    expect((await create(mapOf(LABELS_MAX))).status).toBe(202)
    const answer = await create(mapOf(LABELS_MAX + 1))
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining(`would have ${LABELS_MAX + 1} bytes`)])
  })

  it.each([
    ['text of several bytes a character', { labels: { a: '€'.repeat(6000) } }],
    ['half a megabyte', { labels: { a: 'x'.repeat(500_000) } }],
    ['very many small ones', { labels: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, 'v'])) }],
  ])('refuses %s, and stores nothing', async (_, body) => {
    const name = `sized-${lab.ports.newId()}`
    const request = { name, driver: 'memory@1', ...body }
    expect((await lab.call('POST', '/v1/clusters', { body: request })).status).toBe(413)
    expect((await lab.call('GET', `/v1/clusters/${name}`)).status).toBe(404)
  })

  it('judges merged labels by what comes out', async () => {
    const { id } = await givenLabels(mapOf(10_000))
    const create = (body: object) => lab.call('POST', '/v1/clusters', { body: { cluster_template_id: id, ...body } })
    expect((await create({ labels: mapOf(10_000, 'b') })).status).toBe(202)
    expect((await create({ labels: mapOf(10_000, 'b'), merge_labels: true })).status).toBe(413)
    expect((await create({ labels: mapOf(10_000), merge_labels: true })).status).toBe(202)
  })

  it('refuses a template that was stored with more, also where none of its labels are taken', async () => {
    const { id } = await givenLabels({ a: 'x'.repeat(350_000) })
    const create = (body: object) => lab.call('POST', '/v1/clusters', { body: { cluster_template_id: id, ...body } })
    expect((await create({})).status).toBe(413)
    expect((await create({ labels: { b: 'c' } })).status).toBe(413)
  })
})

describe('cluster templates', () => {
  const at = (path: string, value?: unknown, op = 'add') => ({ op, path, value })
  const patch = (id: string, ...body: object[]) => lab.call('PATCH', `/v1/clustertemplates/${id}`, { body })

  it('are refused with larger labels', async () => {
    const body = { coe: 'kubernetes', image_id: 'x', labels: mapOf(LABELS_MAX + 1) }
    const answer = await lab.call('POST', '/v1/clustertemplates', { body })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([413, refusal('labels', LABELS_MAX + 1)])
  })

  it('are judged by what a patch leaves of them', async () => {
    const { id } = await givenLabels(mapOf(10_000))
    expect((await patch(id, at('/labels/b', 'x'.repeat(10_000)))).status).toBe(413)
    expect((await patch(id, at('/labels', mapOf(LABELS_MAX + 1), 'replace'))).status).toBe(413)
    expect((await patch(id, at('/labels/b', 'x'.repeat(10_000)), at('/labels/a', undefined, 'remove'))).status).toBe(
      200,
    )
  })

  it('that were stored with more may become smaller, and be changed otherwise', async () => {
    const { id } = await givenLabels({ a: 'x'.repeat(30_000), b: 'x'.repeat(30_000) })
    expect((await patch(id, at('/tags', 'old'))).status).toBe(200)
    expect((await patch(id, at('/labels/c', 'd'))).status).toBe(413)
    expect((await patch(id, at('/labels/a', undefined, 'remove'))).status).toBe(200)
  })
})

describe('node groups', () => {
  const taints = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: 'v', effect: 'NoSchedule' }))
  const marks = (count: number, prefix = 'k') =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${prefix}${index}-${'y'.repeat(40)}`, 'z'.repeat(60)]),
    )

  it.each([
    ['labels', { labels: mapOf(LABELS_MAX + 1) }, LABELS_MAX],
    ['node_labels', { node_labels: marks(100) }, MARKS_MAX],
    ['node_taints', { node_taints: taints(200) }, MARKS_MAX],
  ])('are refused with larger %s', async (attribute, body, max) => {
    const cluster = await givenReachable(lab)
    const answer = await callGroups(lab, 'POST', `${cluster}/nodegroups`, { body: { name: 'big', ...body } })
    expect(answer.status).toBe(413)
    expect(answer.body.errors[0].detail).toMatch(new RegExp(`^"${attribute}" would have \\d+ bytes; at most ${max}`))
    expect(await readGroups(lab, cluster)).toHaveLength(2)
  })

  it('are judged by their labels merged with those of the cluster', async () => {
    const cluster = await givenReachable(lab, { labels: mapOf(10_000) })
    const create = (body: object) =>
      callGroups(lab, 'POST', `${cluster}/nodegroups`, { body: { labels: mapOf(10_000, 'b'), ...body } })
    expect((await create({ name: 'merged', merge_labels: true })).status).toBe(413)
    expect((await create({ name: 'own' })).status).toBe(202)
  })

  it('are judged by what a patch leaves of them', async () => {
    const cluster = await givenReachable(lab)
    await givenGroup(lab, cluster, { node_labels: marks(50) })
    const patch = (body: object[]) => callGroups(lab, 'PATCH', `${cluster}/nodegroups/pool`, { body })
    const adds = Object.entries(marks(60, 'n')).map(([key, value]) => ({
      op: 'add',
      path: `/node_labels/${key}`,
      value,
    }))
    expect((await patch(adds)).status).toBe(413)
    expect((await patch([{ op: 'add', path: '/node_taints', value: taints(200) }])).status).toBe(413)
    expect((await patch([{ op: 'remove', path: '/node_labels' }, ...adds])).status).toBe(202)
  })
})

describe('PATCH /v1/clusters/{cluster} health_status_reason', () => {
  it('takes 16 KiB, and not a byte more', async () => {
    const id = await givenCluster(lab)
    const report = (value: unknown) =>
      lab.call('PATCH', `/v1/clusters/${id}`, { body: [{ op: 'replace', path: '/health_status_reason', value }] })
    expect((await report(mapOf(LABELS_MAX))).status).toBe(202)
    const answer = await report(mapOf(LABELS_MAX + 1))
    expect([answer.status, answer.body.errors[0].detail]).toEqual([
      413,
      refusal('health_status_reason', LABELS_MAX + 1),
    ])
  })
})

describe('an upgrade', () => {
  const upgrade = (cluster: string, template: string) =>
    lab.call('POST', `/v1/clusters/${cluster}/actions/upgrade`, {
      body: { cluster_template: template, max_batch_size: 1 },
      headers: { 'OpenStack-API-Version': 'container-infra 1.9' },
    })
  const givenOf = async (template: string, body: object = {}) =>
    givenCluster(lab, { body: { cluster_template_id: template, ...body } })

  it('is judged by the labels that cluster and node groups have then', async () => {
    const before = await givenLabels({ a: '1' })
    const after = await givenLabels(mapOf(10_000, 'new'))
    const own = { labels: mapOf(10_000, 'own'), merge_labels: true }
    const grown = await givenOf(before.id, own)
    expect((await upgrade(grown, after.id)).status).toBe(413)
    expect((await readCluster(lab, grown)).status).toBe('CREATE_COMPLETE')
    const grouped = await givenOf(before.id)
    await changeCluster(lab, grouped, { endpoint: null })
    await changeGroup(lab, grouped, 'default-worker', { labels: { a: '1', ...mapOf(10_000, 'own') } })
    expect((await upgrade(grouped, after.id)).status).toBe(413)
    expect((await upgrade(await givenOf(before.id), after.id)).status).toBe(202)
  })
})

describe('DELETE /v1/clusters/{cluster}', () => {
  /** Fills an item as far as the database takes it. */
  const fill = async (write: (text: string) => Promise<void>): Promise<void> => {
    for (let length = 409_500; ; length -= 20) {
      try {
        return await write('x'.repeat(length))
      } catch (error) {
        expect(error).toMatchObject({ name: 'ItemTooLarge' })
      }
    }
  }

  it.each(['', '?force=true'])('%s takes what was stored with no byte left', async (query) => {
    const id = await givenCluster(lab)
    await fill(async (a) => {
      const { magnum } = await readCluster(lab, id)
      await changeCluster(lab, id, { magnum: { ...magnum, labels: { kept: 'small', a } } })
    })
    await fill((a) => changeGroup(lab, id, 'default-worker', { labels: { kept: 'small', a } }))
    await fill((a) => changeGroup(lab, id, 'default-master', { nodeLabels: { a } }))
    expect((await lab.call('DELETE', `/v1/clusters/${id}${query}`)).status).toBe(204)
    const { status, magnum } = await readCluster(lab, id)
    expect([status, magnum.labels]).toEqual(['DELETE_IN_PROGRESS', { kept: 'small' }])
    expect((await readGroups(lab, id)).map((group) => group.status)).toEqual(Array(2).fill('DELETE_IN_PROGRESS'))
  })

  it('takes a node group that was stored with no byte left', async () => {
    const id = await givenReachable(lab)
    await givenGroup(lab, id)
    await settleCluster(lab, id, { status: 'UPDATE_COMPLETE' })
    await fill((a) => changeGroup(lab, id, 'pool', { labels: { a } }))
    expect((await callGroups(lab, 'DELETE', `${id}/nodegroups/pool`)).status).toBe(204)
  })

  it('takes one whose health reasons fill it', async () => {
    const id = await givenCluster(lab)
    const key = { projectId: (await readCluster(lab, id)).projectId, id }
    const observedAt = new Date(lab.ports.clock.now().getTime() - 1000).toISOString()
    const seen = { healthStatus: 'UNHEALTHY', version: null, nodeCount: 1, masterCount: 1, observedAt } as const
    await fill(async (api) => {
      await lab.stores.clusters.observe(key, { ...seen, healthReason: { api } })
    })
    expect((await lab.call('DELETE', `/v1/clusters/${id}`)).status).toBe(204)
  })

  it('takes one whose node groups are more than a transaction takes', async () => {
    const id = await givenReachable(lab)
    const [, worker] = await readGroups(lab, id)
    for (let number = 3; number < 48; number++) {
      const group = {
        ...worker!,
        id: lab.ports.newId(),
        number,
        name: `g${number}`,
        labels: { a: 'x'.repeat(110_000) },
      }
      await lab.stores.commit([lab.stores.nodeGroups.insert({ ...group, isDefault: false })])
    }
    expect((await lab.call('DELETE', `/v1/clusters/${id}`)).status).toBe(204)
  })
})

describe('names that do not show', () => {
  const NAMES = [' ', '\u202e', 'a\u202eb', '\u200b', '\u061ca', '\u3164', '\u2066x', 'a\u2028b']

  it.each(NAMES)('%j is no name of a node group or a cluster template', async (name) => {
    const cluster = await givenReachable(lab)
    expect((await callGroups(lab, 'POST', `${cluster}/nodegroups`, { body: { name } })).status).toBe(400)
    const body = { name, coe: 'kubernetes', image_id: 'x' }
    expect((await lab.call('POST', '/v1/clustertemplates', { body })).status).toBe(400)
  })

  it.each([{ '': 'a' }, { 'a\u202eb': 'c' }, { a: 'b\u202ec' }, { ' ': 'a' }])('%j are no labels', async (labels) => {
    const cluster = await givenReachable(lab)
    const template = await givenTemplate(lab)
    const [[key = '', value] = []] = Object.entries(labels)
    const answers = await Promise.all([
      lab.call('POST', '/v1/clusters', { body: { kubeconfig: kubeconfigText(), labels } }),
      callGroups(lab, 'POST', `${cluster}/nodegroups`, { body: { name: 'pool', labels } }),
      lab.call('POST', '/v1/clustertemplates', { body: { coe: 'kubernetes', image_id: 'x', labels } }),
      lab.call('PATCH', `/v1/clustertemplates/${template.id}`, {
        body: [{ op: 'add', path: `/labels/${key}`, value }],
      }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(400))
  })
})
