import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal } from '../../functions/core/values/identity.ts'
import { ANA, BEN, CLEO, openTwoProjects, type TwoProjects } from '../support/flows/two-projects.ts'

/** Issue 17, point 7: every credential that exists, where, for whom, with which rights, until when, never the secret. */

let two: TwoProjects
let [federation, own, edge] = ['', '', '']
beforeAll(async () => {
  two = await openTwoProjects()
  own = await two.cluster(ANA, 'own')
  edge = await two.cluster(BEN, 'edge')
  await two.grant(edge, { project_id: 'blue', actions: ['join'] })
  federation = await two.federation({ properties: { 'memory-token-seconds': '3600' } })
  await two.join(federation, own, edge)
  await two.settled(federation)
})
afterAll(() => two.dispose())

type Credential = {
  uuid: string
  kind: string
  place: string
  cluster_name: string | null
  federation_name: string | null
  object: string | null
  holder: string
  user_id: string | null
  rights: string | null
  valid_until: string
}

const READER: Principal = { ...ANA, userId: 'rita', roles: ['reader'] }
const ADMIN: Principal = { ...CLEO, userId: 'root', roles: ['admin'] }
const list = async (as: Principal, query = ''): Promise<Credential[]> => {
  const { status, body } = await two.call(as, 'GET', `/v1/credentials/inventory${query}`)
  expect([status, body.errors]).toEqual([200, undefined])
  return body.credentials
}
const short = ({ kind, place, cluster_name, rights }: Credential) => [kind, place, cluster_name, rights].join(' | ')
const withKind = async (as: Principal, kind: string, query = '') =>
  (await list(as, query)).filter((credential) => credential.kind === kind)

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?\+00:00$/

describe('GET /v1/credentials/inventory', () => {
  it('has the tokens of members, with their rights and their end', async () => {
    const tokens = await withKind(ANA, 'member-token')
    expect(tokens.map(short).sort()).toEqual([
      'member-token | fedplane |  | view',
      'member-token | fedplane | own | view',
    ])
    for (const token of tokens)
      expect([token.holder, token.valid_until]).toEqual(['federation', expect.stringMatching(TIME)])
  })

  it('has the accounts that were made in clusters, in each for its owner only', async () => {
    const accounts = async (as: Principal) => (await withKind(as, 'service-account')).map(short)
    expect(await accounts(ANA)).toEqual(['service-account | member | own | view'])
    expect(await accounts(BEN)).toEqual(['service-account | member | edge | view'])
  })

  it("tells a cluster's owner of the token that another project's federation has", async () => {
    expect((await withKind(BEN, 'member-token')).map(short)).toEqual(['member-token | fedplane | edge | view'])
    expect(await list(BEN, '?cluster=edge')).toEqual(await list(BEN))
    expect(JSON.stringify(await list(BEN))).not.toContain('hub')
  })

  it('has a kubeconfig from when it is handed out until it expires, with its rights, and not itself', async () => {
    const path = `/v1/federations/${federation}/kubeconfig`
    const { body } = await two.call(ANA, 'POST', path, { role: 'editor', namespace: 'shop', expires_in: 600 })
    const [issued, ...more] = await withKind(READER, 'kubeconfig')
    expect([issued, more]).toMatchObject([
      {
        place: 'bearer',
        holder: 'user',
        user_id: 'ana',
        rights: 'editor of namespace shop',
        valid_until: body.expires_at,
        cluster_name: null,
      },
      [],
    ])
    const secret = JSON.parse(body.kubeconfig).users[0].user.token
    expect(JSON.stringify(await list(READER))).not.toContain(secret)
    expect(JSON.stringify(await list(READER))).not.toMatch(/memory-token/)
  })

  it('has hooks, triggers and authorities', async () => {
    await two.call(ANA, 'POST', `/v1/clusters/${own}/hooks`, { name: 'push' })
    const target = { url: 'https://hooks.example.com/' }
    await two.call(ANA, 'POST', '/v1/triggers', { name: 'tell', events: ['*'], target })
    const made = await two.call(ANA, 'POST', '/v1/clusters', { name: 'made', driver: 'memory@1' })
    expect([made.status, (await withKind(ANA, 'hook')).map(short)]).toEqual([
      202,
      ['hook | bearer | own | have the cluster observed'],
    ])
    expect(
      (await withKind(ANA, 'trigger-secret')).map(({ object, user_id, valid_until }) => [object, user_id, valid_until]),
    ).toEqual([['tell', 'ana', 'never']])
  })

  it('is of one cluster or federation, by name or uuid', async () => {
    const names = async (query: string) =>
      new Set((await list(ANA, query)).map(({ federation_name }) => federation_name))
    expect(await list(ANA, `?cluster=${own}`)).toEqual(await list(ANA, '?cluster=own'))
    expect((await list(ANA, '?cluster=own')).every(({ cluster_name }) => cluster_name === 'own')).toBe(true)
    expect([...(await names(`?federation=${federation}`))].length).toBe(1)
    expect((await two.call(ANA, 'GET', '/v1/credentials/inventory?cluster=absent')).status).toBe(404)
    expect(await list(ANA, '?cluster=00000000-0000-4000-8000-00000000dead')).toEqual([])
  })

  it('goes page by page, each once, and sorted', async () => {
    const all = await list(ANA)
    const paged: Credential[] = []
    let next: string | undefined = '/v1/credentials/inventory?limit=2'
    while (next !== undefined) {
      const { body } = await two.call(ANA, 'GET', next)
      paged.push(...body.credentials)
      next = body.next && new URL(body.next).pathname + new URL(body.next).search
    }
    expect(paged).toEqual(all)
    const kinds = (await list(ANA, '?sort_key=kind&sort_dir=desc')).map(({ kind }) => kind)
    expect(kinds).toEqual([...kinds].sort().reverse())
    const marker = await two.call(ANA, 'GET', '/v1/credentials/inventory?marker=00000000-0000-4000-8000-00000000dead')
    expect(marker.status).toBe(404)
  })

  it.each([
    ['?limit=0', 400],
    ['?project_id=', 400],
    ['?marker=x', 400],
    ['?sort_key=secret', 400],
    ['?kind=hook', 400],
    ['?project_id=green', 403],
  ])('%s is %d', async (query, status) => {
    expect((await two.call(ANA, 'GET', `/v1/credentials/inventory${query}`)).status).toBe(status)
  })

  it('is of the own project, and of any other for administrators', async () => {
    expect(await list(CLEO)).toEqual([])
    expect(await list(ADMIN)).toEqual([])
    expect(await list(ADMIN, '?project_id=blue')).toEqual(await list(ANA))
    expect((await two.call({ ...CLEO, roles: [] }, 'GET', '/v1/credentials/inventory')).status).toBe(403)
  })

  it('loses what goes: a member that leaves, a federation that is deleted', async () => {
    await two.call(ANA, 'PATCH', `/v1/federations/${federation}`, [{ op: 'remove', path: '/member_ids', value: edge }])
    await two.settled(federation)
    expect(await list(BEN)).toEqual([])
    await two.call(ANA, 'DELETE', `/v1/federations/${federation}`)
    await two.settled(federation)
    expect(await list(ANA, `?federation=${federation}`)).toEqual([])
  })
})
