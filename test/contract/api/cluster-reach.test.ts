import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenCluster, givenTemplate, readCluster } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { type ALICE, BOB } from '../../support/api/request.ts'

/** Of the project green. */
const ADMIN = { ...BOB, userId: 'root', roles: ['admin'] as const }

let lab: ApiLab
let id: string
let own: string
beforeAll(async () => {
  lab = await createApiLab()
  await givenTemplate(lab, { name: 'next' })
  own = await givenCluster(lab, { name: 'both', as: BOB })
  id = await givenCluster(lab, { name: 'theirs' })
  await givenCluster(lab, { name: 'both' })
})
afterAll(() => lab.dispose())

const call = (method: string, target: string, body?: unknown, as: typeof ALICE = ADMIN) =>
  lab.call(method, target, { as, headers: { 'OpenStack-API-Version': 'container-infra latest' }, body })

const idsIn = async (target: string, as: typeof ALICE = ADMIN): Promise<string[]> =>
  (await call('GET', target, undefined, as)).body.clusters.map(({ uuid }: { uuid: string }) => uuid)

describe('section 2: an administrator of another project', () => {
  it.each(['/v1/clusters', '/v1/clusters/detail', '/v1/clusters?sort_key=name'])(
    'sees all projects’ clusters in %s',
    async (target) => {
      expect(await idsIn(target)).toEqual(expect.arrayContaining([own, id]))
      expect(await idsIn(target)).toHaveLength(3)
    },
  )

  it('goes on after a marker of another project', async () => {
    const all = await idsIn('/v1/clusters')
    const pages = [await idsIn('/v1/clusters?limit=2'), await idsIn(`/v1/clusters?limit=2&marker=${all[1]}`)]
    expect(pages.flat()).toEqual(all)
  })

  it.each<[string, string, unknown, number]>([
    ['GET', '', undefined, 200],
    ['PATCH', '', [{ op: 'replace', path: '/health_status', value: 'HEALTHY' }], 202],
    ['PATCH', '', [{ op: 'replace', path: '/node_count', value: 2 }], 202],
    ['POST', '/actions/upgrade', { cluster_template: 'next', max_batch_size: 1 }, 202],
    ['POST', '/actions/resize', { node_count: 2 }, 404],
    ['DELETE', '', undefined, 204],
  ])('%s {cluster}%s %o is %i there', async (method, path, body, status) => {
    const theirs = await givenCluster(lab)
    expect((await call(method, `/v1/clusters/${theirs}${path}`, body)).status).toBe(status)
  })

  it('changes it in its own project', async () => {
    await call('PATCH', '/v1/clusters/theirs', [{ op: 'replace', path: '/node_count', value: 3 }])
    expect(await readCluster(lab, id)).toMatchObject({ projectId: 'blue', nodes: { nodeCount: 3 } })
    expect(lab.executions.starts.at(-1)?.input).toMatchObject({ projectId: 'blue', entityId: id })
  })

  it('finds a name in all projects', async () => {
    const { status, body } = await call('GET', '/v1/clusters/both')
    expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining(`${own} (CREATE_COMPLETE) and `)])
  })
})

describe('section 2: a member', () => {
  it('sees only the own project', async () => {
    expect(await idsIn('/v1/clusters', BOB as typeof ALICE)).toEqual([own])
  })

  it('finds the own cluster of a name that others have too', async () => {
    expect((await call('GET', '/v1/clusters/both', undefined, BOB as typeof ALICE)).body.uuid).toBe(own)
  })
})

describe('section 11 row 28: a list', () => {
  it('reads nothing per cluster', async () => {
    const { nodeGroups, templates } = lab.stores
    const { listOf } = nodeGroups
    const { get } = templates
    let reads = 0
    nodeGroups.listOf = (cluster) => {
      reads++
      return listOf(cluster)
    }
    templates.get = (key) => {
      reads++
      return get(key)
    }
    for (const target of ['/v1/clusters', '/v1/clusters/detail']) expect((await call('GET', target)).status).toBe(200)
    nodeGroups.listOf = listOf
    templates.get = get
    expect(reads).toBe(0)
  })
})
