import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { changeCluster, givenCluster, givenFederation, readMembership } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB } from '../../support/api/request.ts'

/** Issue 17, point 3: one cluster that is registered in two projects, both under the same name. */

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

let [ours, theirs] = ['', '']
beforeEach(async () => {
  const name = `edge-${lab.ports.newId().slice(-6)}`
  ours = await registered(ALICE, name)
  theirs = await registered(BOB, name)
})

/** Both tell the uid that the name stands for. */
const registered = async (as: Principal, name: string): Promise<string> => {
  const id = await givenCluster(lab, { as, name })
  await changeCluster(lab, id, { identity: { uid: `uid-of-${name}`, user: 'admin' } }, as)
  return id
}

const lend = (actions: string[], rights = 'view') =>
  lab.call('POST', `/v1/clusters/${theirs}/grants`, { as: BOB, body: { project_id: 'blue', actions, rights } })
const add = (federation: string, ...value: string[]) =>
  lab.call('PATCH', `/v1/federations/${federation}`, { body: [{ op: 'add', path: '/member_ids', value }] })

describe('a cluster with two registrations', () => {
  it('is once in a federation, whichever comes second', async () => {
    await lend(['join'])
    const first = await givenFederation(lab, { members: [ours] })
    expect((await add(first.id, theirs)).status).toBe(409)
    const second = await givenFederation(lab)
    expect((await add(second.id, theirs)).status).toBe(202)
    const { status, body } = await add(second.id, ours)
    expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining('the same Kubernetes cluster')])
  })

  it('is once among those that join at the same time', async () => {
    await lend(['join'])
    const { id } = await givenFederation(lab)
    expect((await add(id, ours, theirs)).status).toBe(409)
    const both = await Promise.all([add(id, ours), add(id, theirs)])
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409])
    const hostcluster_id = await givenCluster(lab)
    const create = await lab.call('POST', '/v1/federations', { body: { hostcluster_id, member_ids: [ours, theirs] } })
    expect(create.status).toBe(409)
  })

  it('is no member of what it hosts, where the driver takes no host as a member', async () => {
    await lend(['join'])
    const body = { hostcluster_id: ours, member_ids: [theirs] }
    expect((await lab.call('POST', '/v1/federations', { body })).status).toBe(409)
    const selfhost = await lab.call('POST', '/v1/federations', { body: { ...body, driver: 'selfhost@1' } })
    expect(selfhost.status).toBe(202)
  })

  it('has another name in each federation where names must differ', async () => {
    await lend(['join'], 'more')
    const names = []
    for (const cluster of [ours, theirs]) {
      const { id } = await givenFederation(lab, { driver: 'platform@1' })
      expect((await add(id, cluster)).status).toBe(202)
      names.push((await readMembership(lab, id, cluster)).memberName)
    }
    expect(new Set(names).size).toBe(2)
  })

  it('has another name than in the federation of its other project', async () => {
    const ourFleet = await givenFederation(lab, { driver: 'platform@1', members: [ours] })
    const host = await givenCluster(lab, { as: BOB })
    const { body } = await lab.call('POST', '/v1/federations', {
      as: BOB,
      body: { driver: 'platform@1', hostcluster_id: host, member_ids: [theirs] },
    })
    const key = { projectId: 'green', federationId: body.uuid, clusterId: theirs }
    const theirName = (await lab.stores.memberships.get(key))?.memberName
    expect(theirName).toBeDefined()
    expect(theirName).not.toBe((await readMembership(lab, ourFleet.id, ours)).memberName)
  })
})

describe('the number of changes at once', () => {
  it('counts clusters of other projects one and a half times', async () => {
    const { id } = await givenFederation(lab)
    const lent = []
    for (let index = 0; index < 31; index++) {
      const cluster = await givenCluster(lab, { as: BOB })
      await lab.call('POST', `/v1/clusters/${cluster}/grants`, {
        as: BOB,
        body: { project_id: 'blue', actions: ['join'] },
      })
      lent.push(cluster)
    }
    const { status, body } = await add(id, ...lent)
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('two count as three')])
    expect((await add(id, ...lent.slice(1))).status).toBe(202)
  })
})
