import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { givenTemplate, readCluster } from '../../support/api/entities.ts'
import { type Answer, type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { CAROL, countsOf, givenManaged, givenManagement, OTHER, postManaged } from '../../support/api/management.ts'

/** Which management cluster a new cluster is made through (decision 0017). */

let lab: ApiLab
beforeEach(async () => {
  lab = await createApiLab()
})
afterEach(() => lab.dispose())

const detailOf = ({ status, body }: Answer): [number, string] => [status, body.errors?.[0].detail]
const throughOf = async (id: string) => (await readCluster(lab, id, CAROL)).madeThrough?.id

describe('the management cluster of a new cluster', () => {
  it('is the only one, of whichever project; counted, and shown', async () => {
    const id = await givenManagement(lab, { name: 'mgmt' })
    const cluster = await givenManaged(lab)
    expect((await readCluster(lab, cluster, CAROL)).madeThrough).toEqual({ projectId: 'operators', id })
    const { body } = await lab.call('GET', `/v1/clusters/${cluster}`, { as: CAROL })
    expect(body).toMatchObject({ management_cluster: id, management: null })
    await givenManaged(lab, {}, OTHER)
    expect(await countsOf(lab)).toEqual({ [id]: 2 })
  })

  it('is the default one of several', async () => {
    await givenManagement(lab, { name: 'one' })
    const two = await givenManagement(lab, { name: 'two', default: true })
    expect(await throughOf(await givenManaged(lab))).toBe(two)
  })

  it('is what the label names, by name or uuid; the cluster’s label goes before its template’s', async () => {
    const [one, two, three] = [
      await givenManagement(lab, { name: 'one' }),
      await givenManagement(lab, { name: 'two' }),
      await givenManagement(lab, { name: 'three', default: true }),
    ]
    const spec = { labels: { management_cluster: 'two' } }
    const cluster_template_id = (await givenTemplate(lab, { driver: 'managed@1', spec })).id
    expect(await throughOf(await givenManaged(lab, { labels: { management_cluster: one } }))).toBe(one)
    expect(await throughOf(await givenManaged(lab, { cluster_template_id }))).toBe(two)
    expect(await throughOf(await givenManaged(lab, { cluster_template_id, labels: { a: 'b' } }))).toBe(two)
    const labels = { management_cluster: 'three' }
    expect(await throughOf(await givenManaged(lab, { cluster_template_id, labels }))).toBe(three)
  })

  it('is none for other drivers, whatever their labels say', async () => {
    await givenManagement(lab, { name: 'one' })
    const { body } = await postManaged(lab, { driver: 'memory@1', labels: { management_cluster: 'none' } })
    expect((await readCluster(lab, body.uuid, CAROL)).madeThrough).toBeNull()
  })

  it('is refused when there is none', async () => {
    expect(detailOf(await postManaged(lab))).toEqual([400, expect.stringContaining('An administrator has to register')])
  })

  it('is refused when several are there and none is the default', async () => {
    await givenManagement(lab, { name: 'one' })
    await givenManagement(lab, { name: 'two' })
    expect(detailOf(await postManaged(lab))).toEqual([
      400,
      'There are several management clusters, and none of them is the default one. Name one with the label "management_cluster": "one" and "two".',
    ])
  })

  it('is refused when the label names none, or several', async () => {
    const one = await givenManagement(lab, { name: 'twin' })
    const two = await givenManagement(lab, { name: 'twin' })
    const ask = (management_cluster: string) => postManaged(lab, { labels: { management_cluster } })
    expect(detailOf(await ask('moon'))).toEqual([
      400,
      'The label "management_cluster" is "moon", and no management cluster has that uuid or name. There are "twin" and "twin".',
    ])
    expect(detailOf(await ask('twin'))).toEqual([
      400,
      `The label "management_cluster" is "twin", and 2 management clusters have that name. Give the uuid: ${one} and ${two}.`,
    ])
  })

  it('is refused when it is not usable, also the default one where another is', async () => {
    await givenManagement(lab, { name: 'good' })
    await givenManagement(lab, { name: 'bad', status: 'CREATE_FAILED', default: true })
    const sentence = 'The management cluster "bad" is CREATE_FAILED, so no clusters can be made through it.'
    expect(detailOf(await postManaged(lab))).toEqual([400, expect.stringContaining(sentence)])
    await givenManaged(lab, { labels: { management_cluster: 'good' } })
  })

  it('is shown to the driver’s check', async () => {
    await givenManagement(lab, { name: 'mgmt', zone: 'nowhere' })
    expect(detailOf(await postManaged(lab))).toEqual([400, 'Nothing can be made in the zone "nowhere".'])
    expect(Object.values(await countsOf(lab))).toEqual([0])
  })
})
