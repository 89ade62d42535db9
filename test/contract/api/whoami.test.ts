import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB, READER } from '../../support/api/request.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

it.each([ALICE, BOB, READER])('GET /v1/whoami says who calls: $userId', async (as) => {
  const { status, body } = await lab.call('GET', '/v1/whoami', { as })
  const { userId, projectId, roles, source } = as
  expect([status, body]).toEqual([200, { user_id: userId, project_id: projectId, roles, source }])
})

it('says to a caller without a role why not', async () => {
  const { status, body } = await lab.call('GET', '/v1/whoami', { as: { ...BOB, roles: [] } })
  expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('identity:get')])
})
