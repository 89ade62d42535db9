import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationOf } from '../../../functions/core/membership/membership.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { CAROL } from '../../support/api/certificates.ts'
import {
  endMembership,
  givenCluster,
  givenFederation,
  readCluster,
  readFederation,
  readMembership,
} from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB } from '../../support/api/request.ts'

/** `?workloads=`: what becomes of what a federation brought into a member that leaves. */

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const given = async (driver = 'platform@1') => {
  const member = await givenCluster(lab)
  const { id } = await givenFederation(lab, { driver, members: [member] })
  return { id, member }
}
const remove = (id: string, member: string, query = '') =>
  lab.call('PATCH', `/v1/federations/${id}${query}`, { body: [{ op: 'remove', path: '/member_ids', value: member }] })
const operation = async ({ id, member }: { id: string; member: string }) =>
  operationOf(await readMembership(lab, id, member))
const lastMessage = async (id: string): Promise<string> => {
  const { body } = await lab.call('GET', `/v1/federations/${id}/events`)
  return body.events.at(-1).message
}

describe('PATCH remove /member_ids', () => {
  it.each([
    ['', undefined],
    ['?workloads=keep', undefined],
    ['?workloads=delete', 'delete'],
  ])('with "%s" leaves %s on the unjoin', async (query, expected) => {
    const it = await given()
    expect((await remove(it.id, it.member, query)).status).toBe(202)
    expect((await operation(it))?.workloads).toBe(expected)
    const { body } = await lab.call('GET', `/v1/federations/${it.id}/members/${it.member}`)
    expect(body.operation.workloads).toBe(expected)
    expect((await lastMessage(it.id)).includes('workloads are removed')).toBe(expected === 'delete')
  })

  it('tells in a dry run that workloads would go', async () => {
    const { id, member } = await given()
    const { body } = await remove(id, member, '?dry_run=true&workloads=delete')
    expect(body.would_remove).toContainEqual(expect.stringContaining('workloads'))
    const kept = await remove(id, member, '?dry_run=true')
    expect(kept.body.would_remove).not.toContainEqual(expect.stringContaining('workloads'))
  })

  it('can be tried again with the other choice after it failed', async () => {
    const it = await given()
    await remove(it.id, it.member, '?workloads=delete')
    await endMembership(lab, it.id, it.member, 'UnjoinFailed')
    expect((await remove(it.id, it.member, '?workloads=keep')).status).toBe(202)
    expect((await operation(it))?.workloads).toBeUndefined()
    await endMembership(lab, it.id, it.member, 'UnjoinFailed')
    await remove(it.id, it.member, '?workloads=delete')
    expect((await operation(it))?.workloads).toBe('delete')
  })

  it('keeps the choice of a running unjoin that is now forced, unless the other one is said', async () => {
    const one = await given()
    await remove(one.id, one.member, '?workloads=delete')
    await remove(one.id, one.member, '?force=true')
    expect(await operation(one)).toMatchObject({ force: true, workloads: 'delete' })
    const other = await given()
    await remove(other.id, other.member, '?workloads=delete')
    await remove(other.id, other.member, '?force=true&workloads=keep')
    expect((await operation(other))?.workloads).toBeUndefined()
  })
})

describe('DELETE of a federation', () => {
  const destroy = (id: string, query = '') => lab.call('DELETE', `/v1/federations/${id}${query}`)
  const deletion = async (id: string) => (await readFederation(lab, id)).operation

  it('leaves the choice on the delete, which tells it', async () => {
    const { id } = await given()
    expect((await destroy(id, '?workloads=delete')).status).toBe(204)
    expect(await deletion(id)).toMatchObject({ kind: 'delete', workloads: 'delete' })
    expect(await lastMessage(id)).toContain('workloads removed')
    const kept = await given()
    await destroy(kept.id)
    expect((await deletion(kept.id))?.workloads).toBeUndefined()
  })

  it('is begun again to remove workloads too, and is no weaker for being forced later', async () => {
    const { id } = await given()
    await destroy(id)
    const first = await deletion(id)
    await destroy(id, '?workloads=delete')
    const second = await deletion(id)
    expect(second).toMatchObject({ workloads: 'delete', supersedes: [{ name: `${first?.id}-1` }] })
    await destroy(id, '?force=true')
    expect(await deletion(id)).toMatchObject({ force: true, workloads: 'delete' })
    const third = await deletion(id)
    await destroy(id, '?workloads=keep')
    await destroy(id)
    expect(await deletion(id)).toEqual(third)
  })
})

describe('refusals', () => {
  it.each(['keep', 'delete'])(
    '?workloads=%s is 400 where the driver brings none, and nothing changes',
    async (desired) => {
      const it = await given('memory@1')
      for (const answer of [
        await remove(it.id, it.member, `?workloads=${desired}`),
        await lab.call('DELETE', `/v1/federations/${it.id}?workloads=${desired}`),
      ]) {
        expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining('memory@1')])
      }
      expect(await readMembership(lab, it.id, it.member)).toMatchObject({ state: 'Ready' })
      expect((await readFederation(lab, it.id)).operation).toBeNull()
    },
  )

  it.each(['', 'yes', 'Delete'])('?workloads=%s is 400 with what is allowed', async (desired) => {
    const { id, member } = await given()
    const { status, body } = await remove(id, member, `?workloads=${desired}`)
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('"keep" or "delete"')])
  })
})

/** Another member of the project. */
const CORA: Principal = { ...CAROL, userId: 'cora' }

/** A cluster of bob's project, lent with the rights, in a federation of the project blue. */
const lent = async (rights: string) => {
  const member = await givenCluster(lab, { as: BOB })
  const body = { project_id: 'blue', actions: ['join'], rights: 'more' }
  const target = `/v1/clusters/${member}/grants`
  const { uuid } = (await lab.call('POST', target, { as: BOB, body })).body
  const { id } = await givenFederation(lab, { driver: 'platform@1', members: [member] })
  const clear = (as: Principal) => [
    () =>
      lab.call('PATCH', `/v1/federations/${id}?workloads=delete`, {
        as,
        body: [{ op: 'remove', path: '/member_ids', value: member }],
      }),
    () => lab.call('DELETE', `/v1/federations/${id}?workloads=delete`, { as }),
  ]
  if (rights === 'over') {
    const grant = await lab.stores.grants.get({ projectId: BOB.projectId, clusterId: member, id: uuid })
    await lab.stores.commit([lab.stores.grants.revoke(grant!, new Date().toISOString())])
  }
  return { id, member, clear }
}

describe('the right to delete workloads in a member', () => {
  const refused = (status: number, detail: string) => {
    expect([status, detail]).toEqual([403, expect.stringContaining('cluster:join')])
    expect(detail).toContain('on the side of the cluster')
  }

  it('is the one of a join: a colleague may not beyond edit, who made the cluster may', async () => {
    const member = await givenCluster(lab, { as: CAROL })
    const { id } = await givenFederation(lab, { driver: 'platform@1', members: [member] })
    const body = [{ op: 'remove', path: '/member_ids', value: member }]
    const patch = (as: Principal, query: string) => lab.call('PATCH', `/v1/federations/${id}${query}`, { as, body })
    for (const answer of [
      await patch(CORA, '?workloads=delete'),
      await patch(CORA, '?workloads=delete&dry_run=true'),
      await lab.call('DELETE', `/v1/federations/${id}?workloads=delete`, { as: CORA }),
    ]) {
      refused(answer.status, answer.body.errors[0].detail)
    }
    expect(await readMembership(lab, id, member)).toMatchObject({ state: 'Ready' })
    expect((await patch(CORA, '?dry_run=true')).status).toBe(200)
    expect((await patch(CAROL, '?workloads=delete')).status).toBe(202)
  })

  it.each([
    ['covers', 'more', [202, 204]],
    ['that is over covers nothing, for an administrator neither', 'over', [403, 403]],
  ])('in another project is by a grant, which %s', async (_, rights, expected) => {
    for (const [index, status] of expected.entries()) {
      const { clear, id } = await lent(rights)
      const answer = await clear(ALICE)[index]!()
      expect(answer.status).toBe(status)
      if (status !== 403) continue
      refused(answer.status, answer.body.errors[0].detail)
      expect(answer.body.errors[0].detail).toContain('grant by which the federation uses it is over')
      expect((await readFederation(lab, id)).operation).toBeNull()
    }
  })

  it('is not asked for of a cluster that is no longer registered', async () => {
    const it = await given()
    const cluster = await readCluster(lab, it.member)
    await lab.stores.commit([lab.stores.clusters.removeUses(cluster, [...cluster.uses])])
    await lab.stores.commit([lab.stores.clusters.remove(await readCluster(lab, it.member))])
    const answer = await lab.call('DELETE', `/v1/federations/${it.id}?workloads=delete`, { as: CORA })
    expect(answer.status).toBe(204)
  })
})
