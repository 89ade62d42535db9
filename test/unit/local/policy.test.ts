import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { PolicyTextInvalid } from '../../../functions/policy/policy-text.ts'
import { loadPolicy, PoliciesNotFound } from '../../../local/policy.ts'
import { startFedplane } from '../../../local/server.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-policies-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const place = (name: string): string => path.join(folder, name)

const written = (name: string, text: string): string => {
  writeFileSync(place(name), text)
  return place(name)
}

const READER: Principal = { userId: 'rita', projectId: 'blue', roles: ['reader'], source: 'token-file' }
const OPEN = 'permit (principal, action == Action::"quota:get_all", resource);'

describe('loadPolicy', () => {
  it('loads the defaults', async () => {
    const policy = await loadPolicy()
    expect([policy.decide(READER, 'cluster:get').isAllowed, policy.decide(READER, 'cluster:delete').isAllowed]).toEqual(
      [true, false],
    )
  })

  it('adds those of a file', async () => {
    const policy = await loadPolicy(written('one.cedar', OPEN))
    expect([policy.decide(READER, 'cluster:get').isAllowed, policy.decide(READER, 'quota:get_all').isAllowed]).toEqual([
      true,
      true,
    ])
  })

  it('adds those of a folder', async () => {
    mkdirSync(place('several'))
    written('several/1.cedar', OPEN)
    written('several/2.cedar', 'forbid (principal, action == Action::"cluster:get", resource);')
    written('several/notes.txt', 'not a policy')
    const policy = await loadPolicy(place('several'))
    expect([policy.decide(READER, 'cluster:get').isAllowed, policy.decide(READER, 'quota:get_all').isAllowed]).toEqual([
      false,
      true,
    ])
  })

  it('refuses a place without policies', async () => {
    mkdirSync(place('empty'))
    await expect(loadPolicy(place('empty'))).rejects.toThrow(PoliciesNotFound)
    await expect(loadPolicy(place('nowhere'))).rejects.toThrow('FEDPLANE_POLICIES')
  })
})

describe('startFedplane', () => {
  it('does not start with a policy that does not fit, and says where it is', async () => {
    const policies = written('bad.cedar', 'permit (\n  principal in Role::"boss", action, resource);')
    const started = startFedplane({ policies })
    await expect(started).rejects.toThrow(PolicyTextInvalid)
    await expect(started).rejects.toThrow(`${policies}:2:16: `)
  })

  it('decides by what was added, and by the quota that was set', async () => {
    const policies = written('no-drivers.cedar', 'forbid (principal, action == Action::"driver:get", resource);')
    const fedplane = await startFedplane({ policies, clustersPerProject: 3 })
    try {
      expect((await fetch(`${fedplane.url}/v1/drivers`)).status).toBe(403)
      const quota = await fetch(`${fedplane.url}/v1/quotas/local/Cluster`)
      expect(await quota.json()).toMatchObject({ hard_limit: 3 })
    } finally {
      await fedplane.close()
    }
  })
})
