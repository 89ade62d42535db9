import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  changeCluster,
  endMembership,
  givenCluster,
  givenFederation,
  readMembership,
  settleFederation,
} from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const nameIn = async (id: string, cluster: string) => (await readMembership(lab, id, cluster)).memberName
const joined = async (id: string, cluster: string): Promise<string> => {
  const body = [{ op: 'add', path: '/member_ids', value: cluster }]
  expect((await lab.call('PATCH', `/v1/federations/${id}`, { body })).status).toBe(202)
  return nameIn(id, cluster)
}

describe('names of one cluster in several federations', () => {
  it('differ where the driver needs that, whichever way it becomes a member', async () => {
    const cluster = await givenCluster(lab, { name: 'shared' })
    const first = await givenFederation(lab, { driver: 'platform@1', members: [cluster] })
    const second = await givenFederation(lab, { driver: 'platform@1', members: [cluster] })
    const third = await givenFederation(lab, { driver: 'platform@1' })
    const names = [await nameIn(first.id, cluster), await nameIn(second.id, cluster), await joined(third.id, cluster)]
    expect(names[0]).toBe('shared')
    for (const name of names.slice(1)) expect(name).toMatch(/^shared-[0-9a-z]{7}$/)
    expect(new Set(names).size).toBe(3)
  })

  it('are the cluster’s own where no other such federation has it', async () => {
    const cluster = await givenCluster(lab, { name: 'inventoried' })
    await givenFederation(lab, { members: [cluster] })
    const { id } = await givenFederation(lab, { driver: 'platform@1' })
    expect(await joined(id, cluster)).toBe('inventoried')
    const plain = await givenFederation(lab)
    expect(await joined(plain.id, cluster)).toBe('inventoried')
  })

  it('is another one for a failed join that is tried again after another federation took its name', async () => {
    const cluster = await givenCluster(lab, { name: 'contested' })
    const [late, early] = [
      await givenFederation(lab, { driver: 'platform@1', members: [cluster] }),
      await givenFederation(lab, { driver: 'platform@1' }),
    ]
    await endMembership(lab, late.id, cluster, 'JoinFailed')
    await settleFederation(lab, late.id)
    const failed = await readMembership(lab, late.id, cluster)
    const key = { projectId: failed.projectId, id: cluster }
    await lab.stores.commit([lab.stores.clusters.removeUses(key, [`member:${late.id}`])])
    expect(await joined(early.id, cluster)).toBe('contested')
    expect(await joined(late.id, cluster)).toMatch(/^contested-/)
  })
})

describe('a name that a member has at the control plane, and another cluster by now', () => {
  const given = async (name: string) => {
    const member = await givenCluster(lab, { name })
    const { id } = await givenFederation(lab, { members: [member] })
    await settleFederation(lab, id)
    await changeCluster(lab, member, { name: `former-${name}` })
    return { id, member, namesake: await givenCluster(lab, { name }) }
  }
  const remove = (id: string, value: string) =>
    lab.call('PATCH', `/v1/federations/${id}`, { body: [{ op: 'remove', path: '/member_ids', value }] })

  it('unjoins nobody', async () => {
    const { id, member, namesake } = await given('reborn')
    const { status, text } = await remove(id, 'reborn')
    expect(status).toBe(409)
    expect(text).toContain(member)
    expect(text).toContain(namesake)
    expect((await readMembership(lab, id, member)).state).toBe('Ready')
    expect((await lab.call('GET', `/v1/federations/${id}/members/reborn`)).status).toBe(409)
  })

  it('unjoins nobody when that is a member, too: lists show the name beside the first one', async () => {
    const { id, member, namesake } = await given('both')
    await joined(id, namesake)
    const { status, text } = await remove(id, 'both')
    expect([status, text]).toEqual([409, expect.stringContaining(member)])
    expect((await readMembership(lab, id, member)).state).toBe('Ready')
    expect((await lab.call('POST', `/v1/federations/${id}/members/both/actions/rotate`)).status).toBe(409)
    expect((await remove(id, namesake)).status).toBe(202)
    expect((await readMembership(lab, id, namesake)).state).toBe('Leaving')
  })

  it('leads to nobody when two members swapped their names', async () => {
    const members = [await givenCluster(lab, { name: 'blue' }), await givenCluster(lab, { name: 'green' })]
    const { id } = await givenFederation(lab, { members })
    await settleFederation(lab, id)
    await changeCluster(lab, members[0]!, { name: 'green-to-be' })
    await changeCluster(lab, members[1]!, { name: 'blue' })
    await changeCluster(lab, members[0]!, { name: 'green' })
    for (const name of ['blue', 'green']) expect((await remove(id, name)).status).toBe(409)
  })
})
