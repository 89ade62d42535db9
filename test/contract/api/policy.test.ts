import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { cedarPolicy } from '../../../functions/policy/cedar-policy.ts'
import { givenCluster } from '../../support/api/entities.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { ALICE } from '../../support/api/request.ts'
import { defaultPolicies } from '../../support/policy.ts'

/** Policies as the API asks them: the defaults, and what operators add (docs/policies.md). */

let lab: ApiLab
let cluster: string
beforeAll(async () => {
  lab = await createApiLab()
  cluster = await givenCluster(lab, { name: 'theirs' })
})
afterAll(() => lab.dispose())

const somebody = (userId: string, projectId: string, ...roles: Principal['roles']): Principal => ({
  userId,
  projectId,
  roles,
  source: 'token-file',
})

const withPolicy = (text: string) => {
  const app = lab.appWith({ policy: cedarPolicy([...defaultPolicies, { file: 'added.cedar', text }]) })
  return async (method: string, target: string, as: Principal) => callApp(app, method, target, { as })
}

it('names the rule and the roles in a refusal', async () => {
  const { status, body } = await lab.call('DELETE', `/v1/clusters/${cluster}`, {
    as: somebody('ana', 'blue', 'reader'),
  })
  expect(status).toBe(403)
  expect(body.errors[0].detail).toContain('cluster:delete')
  expect(body.errors[0].detail).toContain('reader')
})

describe('a policy that an operator adds', () => {
  it('lets readers of one project see the clusters of all', async () => {
    const call = withPolicy(`
      permit (principal in Role::"reader", action in [Action::"cluster:get_one_all_projects", Action::"cluster:get_all_all_projects"], resource)
      when { principal.project == Project::"ops" };
      permit (principal in Role::"reader", action == Action::"cluster:get", resource) when { principal.project == Project::"ops" };`)
    const listed = await call('GET', '/v1/clusters', somebody('rita', 'ops', 'reader'))
    expect(listed.body.clusters.map(({ uuid }: { uuid: string }) => uuid)).toContain(cluster)
    expect((await call('GET', `/v1/clusters/${cluster}`, somebody('rita', 'ops', 'reader'))).status).toBe(200)
    expect((await call('GET', `/v1/clusters/${cluster}`, somebody('rita', 'green', 'reader'))).status).toBe(404)
    expect((await call('GET', '/v1/clusters', somebody('rita', 'green', 'reader'))).body.clusters).toEqual([])
  })

  it('is asked about the cluster itself, in whatever project it is', async () => {
    const call = withPolicy(`
      forbid (principal, action in Action::"delete", resource) when { resource.project != Project::"sandbox" };`)
    const { status, body } = await call('DELETE', `/v1/clusters/${cluster}`, somebody('root', 'sandbox', 'admin'))
    expect([status, body?.errors[0].detail]).toEqual([403, expect.stringContaining('cluster:delete')])
    expect((await lab.call('GET', `/v1/clusters/${cluster}`)).body.status).toBe('CREATE_COMPLETE')
  })

  it('can check who made the cluster', async () => {
    const call = withPolicy(`
      forbid (principal, action == Action::"cluster:get", resource) when { resource has owner && resource.owner != principal };`)
    expect((await call('GET', `/v1/clusters/${cluster}`, ALICE)).status).toBe(200)
    expect((await call('GET', `/v1/clusters/${cluster}`, somebody('ben', 'blue', 'member'))).status).toBe(403)
  })
})
