import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeFederation, givenCluster, givenFederation, readFederation } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { READER } from '../../support/api/request.ts'

/** Issue 18, point 2, as requests see it. What follows from a policy is in `test/flows/health-policy.test.ts`. */

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const patch = (id: string, body: unknown, query = '') => lab.call('PATCH', `/v1/federations/${id}${query}`, { body })
const replace = (attribute: string, value: unknown) => [{ op: 'replace', path: `/${attribute}`, value }]
const show = async (id: string) => (await lab.call('GET', `/v1/federations/${id}`)).body

describe('health policy of a federation', () => {
  it('has defaults, is set in one request or several, and goes back', async () => {
    const { id } = await givenFederation(lab)
    const defaults = { on_unhealthy: 'keep', after_seconds: 300, on_healthy: 'rejoin', left_unhealthy_ids: [] }
    expect(await show(id)).toMatchObject(defaults)
    expect((await patch(id, [...replace('on_unhealthy', 'unjoin'), ...replace('after_seconds', '60')])).status).toBe(
      202,
    )
    expect(await show(id)).toMatchObject({ ...defaults, on_unhealthy: 'unjoin', after_seconds: 60 })
    expect((await patch(id, replace('on_healthy', 'nothing'))).status).toBe(202)
    expect((await readFederation(lab, id)).healthPolicy).toEqual({
      onUnhealthy: 'unjoin',
      afterSeconds: 60,
      onHealthy: 'nothing',
    })
    const removals = ['on_unhealthy', 'after_seconds', 'on_healthy'].map((it) => ({ op: 'remove', path: `/${it}` }))
    expect((await patch(id, removals)).status).toBe(202)
    expect(await show(id)).toMatchObject(defaults)
  })

  it('is part of a create', async () => {
    const host = await givenCluster(lab)
    const body = { hostcluster_id: host, on_unhealthy: 'unjoin', after_seconds: 0, driver: 'memory@1' }
    const { status, body: made } = await lab.call('POST', '/v1/federations', { body })
    expect(status).toBe(202)
    expect(await show(made.uuid)).toMatchObject({ on_unhealthy: 'unjoin', after_seconds: 0, on_healthy: 'rejoin' })
  })

  it.each<[string, unknown, string]>([
    ['a word that is none', replace('on_unhealthy', 'drain'), 'on_unhealthy'],
    ['no number', replace('after_seconds', 'soon'), 'must be an integer from 0 to 604800'],
    ['more than a week', replace('after_seconds', 604_801), 'must be an integer from 0 to 604800'],
    ['less than nothing', replace('after_seconds', -1), 'must be an integer from 0 to 604800'],
    ['a part of it', replace('on_healthy/x', 'nothing'), 'as a whole'],
    ['more in the same request', [...replace('on_healthy', 'nothing'), ...replace('properties', {})], 'as a whole'],
  ])('refuses %s, and changes nothing', async (_, body, detail) => {
    const { id } = await givenFederation(lab)
    const { revision } = await readFederation(lab, id)
    const answer = await patch(id, body)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining(detail)])
    expect((await readFederation(lab, id)).revision).toBe(revision)
  })

  it('refuses a cordon where the driver has none, and says what to use', async () => {
    const given = { hostcluster_id: await givenCluster(lab), driver: 'kube@1', on_unhealthy: 'cordon' }
    const { status, body } = await lab.call('POST', '/v1/federations', { body: given })
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringMatching(/kube@1.*"keep" or "unjoin"/)])
  })

  it('asks the policy, and changes nothing in a dry run', async () => {
    const { id } = await givenFederation(lab)
    const body = replace('on_unhealthy', 'unjoin')
    expect((await lab.call('PATCH', `/v1/federations/${id}`, { body, as: READER })).status).toBe(403)
    const dry = await patch(id, body, '?dry_run=true')
    expect(dry).toMatchObject({ status: 200, body: { would_succeed: true, would_leave: [], would_cordon: [] } })
    expect(await show(id)).toMatchObject({ on_unhealthy: 'keep' })
  })

  it('is none of a federation that is being deleted', async () => {
    const { id } = await givenFederation(lab)
    await changeFederation(lab, id, { status: 'DELETE_IN_PROGRESS' })
    expect((await patch(id, replace('on_unhealthy', 'unjoin'))).status).toBe(409)
  })
})
