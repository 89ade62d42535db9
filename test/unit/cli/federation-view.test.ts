import { describe, expect, it } from 'vitest'
import type { FederationView } from '../../../cli/api/views.ts'
import { describeFederation } from '../../../cli/commands/federation-view.ts'

const view: FederationView = {
  uuid: 'f1',
  name: 'fleet',
  status: 'CREATE_COMPLETE',
  status_reason: null,
  project_id: 'blue',
  driver: 'karmada@1',
  created_at: '2026-11-29T10:00:00+00:00',
  hostcluster_id: 'c1',
  members: [],
  properties: {},
  endpoint: null,
  conditions: [],
}

describe('describeFederation', () => {
  it.each([
    [{}, /^Unhealthy: +<none>$/m],
    [{ on_unhealthy: 'keep', after_seconds: 300, on_healthy: 'rejoin' }, /^Unhealthy: +kept$/m],
    [{ on_unhealthy: 'cordon', after_seconds: 300, on_healthy: 'rejoin' }, /^Unhealthy: +cordon after 300 s$/m],
    [
      { on_unhealthy: 'unjoin', after_seconds: 60, on_healthy: 'rejoin', left_unhealthy_ids: ['c2', 'c3'] },
      /^Unhealthy: +unjoin after 60 s; when it is healthy again: rejoin\nLeft by it: +c2, c3$/m,
    ],
  ])('has the health policy %j, and who left by it', (policy, line) => {
    expect(describeFederation({ ...view, ...policy })).toMatch(line)
  })
})
