import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  changeCluster,
  givenCluster,
  givenFederation,
  readCluster,
  readFederation,
} from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE, READER } from '../../support/api/request.ts'

/** Issue 18, point 1, as requests see it. What follows from a selector is in `test/flows/selectors.test.ts`. */

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const patch = (id: string, body: unknown, query = '') => lab.call('PATCH', `/v1/federations/${id}${query}`, { body })
const select = (value: unknown) => [{ op: 'replace', path: '/member_selector', value }]
const show = async (id: string) => (await lab.call('GET', `/v1/federations/${id}`)).body

describe('PATCH of /member_selector', () => {
  it('sets, shows and removes it', async () => {
    const { id } = await givenFederation(lab)
    const all = {
      labels: 'env in (prod)',
      driver: 'external@1',
      health_status: 'HEALTHY',
      status: 'CREATE_COMPLETE',
      version: '>=1.31 <1.34',
      max_unavailable: 2,
      member_limit: 10,
    }
    expect((await patch(id, select(all))).status).toBe(202)
    expect(await show(id)).toMatchObject({ member_selector: { ...all, set_by: ALICE.userId }, excluded_ids: [] })
    const first = (await readFederation(lab, id)).memberSelector?.id
    await patch(id, select({ labels: '' }))
    expect((await readFederation(lab, id)).memberSelector).toMatchObject({ id: first, wanted: { labels: '' } })
    expect(await lab.stores.selectors.get({ projectId: 'blue', id })).toMatchObject({ wanted: { labels: '' } })
    await patch(id, [{ op: 'remove', path: '/member_selector' }])
    expect((await show(id)).member_selector).toBeNull()
    expect(await lab.stores.selectors.get({ projectId: 'blue', id })).toBeUndefined()
  })

  it.each<[string, unknown, string]>([
    ['a list', [], 'must be a JSON object'],
    ['nothing to select by', { max_unavailable: 2 }, 'selects by nothing'],
    ['an unknown criterion', { label: 'a=b' }, 'Unknown attribute: "label"'],
    ['labels in another syntax', { labels: 'a=b c' }, "can't be read"],
    ['a range in another syntax', { version: '~1.31' }, "can't be read at"],
    ['no member at a time', { labels: '', max_unavailable: 0 }, 'max_unavailable'],
    ['a status that is none', { status: 'READY' }, '"status" must be'],
  ])('refuses %s, and changes nothing', async (_, value, detail) => {
    const { id } = await givenFederation(lab)
    const { revision } = await readFederation(lab, id)
    const { status, body } = await patch(id, select(value))
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining(detail)])
    expect((await readFederation(lab, id)).revision).toBe(revision)
  })

  it('stands alone, and as a whole', async () => {
    const { id } = await givenFederation(lab)
    const beside = [...select({ labels: '' }), { op: 'add', path: '/member_ids', value: 'a' }]
    for (const body of [beside, [{ op: 'replace', path: '/member_selector/labels', value: 'a' }]]) {
      expect((await patch(id, body)).body.errors[0].detail).toContain('in a request of its own')
    }
  })

  it('is for who may change the federation, and asks for the clusters of the project', async () => {
    const { id } = await givenFederation(lab)
    const as = READER
    expect((await lab.call('PATCH', `/v1/federations/${id}`, { as, body: select({ labels: '' }) })).status).toBe(403)
    await patch(id, select({ labels: '' }))
    expect((await readFederation(lab, id)).memberSelector?.consent).toMatchObject({ userId: ALICE.userId })
  })

  it('says in a dry run who would join, and stores nothing', async () => {
    const { id } = await givenFederation(lab)
    const cluster = await givenCluster(lab, { name: 'dry' })
    await changeCluster(lab, cluster, {
      magnum: { ...(await readCluster(lab, cluster)).magnum, labels: { dry: 'run' } },
    })
    const { status, body } = await patch(id, select({ labels: 'dry=run' }), '?dry_run=true')
    expect([status, body]).toMatchObject([200, { would_join: [{ uuid: cluster, name: 'dry' }], would_leave: [] }])
    expect((await readFederation(lab, id)).memberSelector ?? null).toBeNull()
  })
})

describe('POST with member_selector', () => {
  it('stores it with the federation, and what finds it', async () => {
    const body = { hostcluster_id: await givenCluster(lab), member_selector: { labels: 'a' } }
    const { status, body: made } = await lab.call('POST', '/v1/federations', { body })
    expect(status).toBe(202)
    expect((await readFederation(lab, made.uuid)).memberSelector).toMatchObject({ wanted: { labels: 'a' } })
    expect(await lab.stores.selectors.workOf({ projectId: 'blue', id: made.uuid })).toHaveLength(1)
  })
})

describe('POST actions/release-selector', () => {
  it('is 409 where nothing is held', async () => {
    const { id } = await givenFederation(lab)
    const { status } = await lab.call('POST', `/v1/federations/${id}/actions/release-selector`)
    expect(status).toBe(409)
  })
})

describe('PATCH of the labels of a cluster', () => {
  it('changes those of a registered one at once, with an event', async () => {
    const { body } = await lab.call('POST', '/v1/clusters', { body: { kubeconfig: kubeconfigText() } })
    await changeCluster(lab, body.uuid, { status: 'CREATE_COMPLETE', operation: null })
    const relabel = { body: [{ op: 'replace', path: '/labels', value: { env: 'prod' } }] }
    expect((await lab.call('PATCH', `/v1/clusters/${body.uuid}`, relabel)).status).toBe(202)
    expect((await readCluster(lab, body.uuid)).magnum.labels).toEqual({ env: 'prod' })
    const events = await lab.stores.events.listOf('blue', { kind: 'cluster', id: body.uuid }, { limit: 10 })
    expect(events.items.at(-1)).toMatchObject({ action: 'update', reason: 'LabelsChanged' })
  })

  it('is refused for one whose nodes are made by them', async () => {
    const body = [{ op: 'replace', path: '/labels', value: { env: 'prod' } }]
    const { status, body: told } = await lab.call('PATCH', `/v1/clusters/${await givenCluster(lab)}`, { body })
    expect([status, told.errors[0].detail]).toEqual([400, expect.stringContaining('with an upgrade')])
  })
})
