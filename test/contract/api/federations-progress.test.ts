import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import { changeFederation, givenCluster, givenFederation, readMembership } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const WAITS = '2/4 preparing: waiting for a token'

/** A federation that one member joins, whose flow says what it waits for. */
const joining = async (update: Partial<Federation> = {}) => {
  const { id } = await givenFederation(lab, { members: [await givenCluster(lab)] })
  const cluster = await givenCluster(lab)
  await lab.call('PATCH', `/v1/federations/${id}`, { body: [{ op: 'add', path: '/member_ids', value: cluster }] })
  const before = await readMembership(lab, id, cluster)
  if (before.state !== 'Joining') throw new Error(`it is ${before.state}`)
  await lab.stores.commit([lab.stores.memberships.replace(before, { ...before, progress: WAITS })])
  await changeFederation(lab, id, update)
  return { id, cluster, name: before.memberName }
}

describe('a federation in progress', () => {
  it.each(['one', 'detail'])('says which members move and what for, read as %s', async (target) => {
    const { id, name } = await joining()
    const { body } = await lab.call('GET', target === 'one' ? `/v1/federations/${id}` : '/v1/federations/detail')
    const shown = body.federations?.find(({ uuid }: { uuid: string }) => uuid === id) ?? body
    expect(shown.status_reason).toBe(`1 of 2 members joining: ${name}: ${WAITS}`)
  })

  it('says what it does itself first', async () => {
    const { id, name } = await joining({ statusReason: '1/2 waiting for the CRD' })
    const { body } = await lab.call('GET', `/v1/federations/${id}`)
    expect(body.status_reason).toBe(`1/2 waiting for the CRD; 1 of 2 members joining: ${name}: ${WAITS}`)
  })

  it('shows what a member waits for as its message, which is no fault', async () => {
    const { id, cluster } = await joining()
    const { body } = await lab.call('GET', `/v1/federations/${id}/members/${cluster}`)
    expect(body).toMatchObject({ state: 'Joining', reason: null, message: WAITS })
  })

  it('keeps to its result once it is settled', async () => {
    const { id } = await joining({ status: 'UPDATE_FAILED', statusReason: 'edge: No route.' })
    expect((await lab.call('GET', `/v1/federations/${id}`)).body.status_reason).toBe('edge: No route.')
  })
})
