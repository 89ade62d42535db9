import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCluster, givenTemplate, readCluster } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'

let lab: ApiLab
let template: string
beforeAll(async () => {
  lab = await createApiLab()
  template = (await givenTemplate(lab, { spec: { labels: { a: '1', b: '2' } } })).id
})
afterAll(() => lab.dispose())

const shown = async (body: object) => {
  const { uuid } = (await lab.call('POST', '/v1/clusters', { body })).body
  const { labels, merge_labels, labels_overridden, labels_added, labels_skipped } = (
    await lab.call('GET', `/v1/clusters/${uuid}`)
  ).body
  return { id: uuid, labels: { labels, merge_labels, labels_overridden, labels_added, labels_skipped } }
}

type Text = Record<string, string>
type Row = [what: string, request: object, labels: Text, overridden: Text, added: Text, skipped: Text]

const ALL = { a: '1', b: '2' }

describe('section 4.1 and 4.2: labels', () => {
  it.each<Row>([
    ['absent', {}, ALL, {}, {}, {}],
    ['null', { labels: null }, ALL, {}, {}, {}],
    ['empty', { labels: {} }, ALL, {}, {}, {}],
    ['empty and merged', { labels: {}, merge_labels: true }, ALL, {}, {}, {}],
    ['given', { labels: { b: '3', c: true } }, { b: '3', c: 'True' }, { b: '2' }, { c: 'True' }, { a: '1' }],
    ['given and not merged', { labels: { c: 4 }, merge_labels: false }, { c: '4' }, {}, { c: '4' }, ALL],
    [
      'merged',
      { labels: { b: '3', c: '4' }, merge_labels: true },
      { a: '1', b: '3', c: '4' },
      { b: '2' },
      { c: '4' },
      {},
    ],
    ['merged, as text', { labels: { c: '4' }, merge_labels: 'True' }, { ...ALL, c: '4' }, {}, { c: '4' }, {}],
    ['the same as the template’s', { labels: { b: '2' } }, { b: '2' }, {}, {}, { a: '1' }],
  ])('that are %s', async (...[, request, labels, overridden, added, skipped]) => {
    expect((await shown({ cluster_template_id: template, ...request })).labels).toEqual({
      labels,
      merge_labels: false,
      labels_overridden: overridden,
      labels_added: added,
      labels_skipped: skipped,
    })
  })

  it('of a cluster from the built-in template are all added', async () => {
    expect((await shown({ kubeconfig: kubeconfigText(), labels: { x: 'y' } })).labels).toMatchObject({
      labels_overridden: {},
      labels_added: { x: 'y' },
      labels_skipped: {},
    })
  })

  it('are compared with the template as it was when the cluster was made', async () => {
    const { id } = await shown({ cluster_template_id: template })
    const { magnum } = await readCluster(lab, id)
    await changeCluster(lab, id, { magnum: { ...magnum, templateLabels: { a: '9' } } })
    const { body } = await lab.call('GET', '/v1/clusters/detail')
    const cluster = body.clusters.find(({ uuid }: { uuid: string }) => uuid === id)
    expect(cluster).toMatchObject({ labels_overridden: { a: '9' }, labels_added: { b: '2' }, labels_skipped: {} })
  })
})
