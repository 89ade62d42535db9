import { describe, expect, it } from 'vitest'
import type { ClusterObservation, HealthStatus } from '../../../functions/core/cluster/cluster.ts'
import { memberFault, planeFault } from '../../../functions/core/membership/member-fault.ts'
import type { DegradedMembership } from '../../../functions/core/membership/membership.ts'
import { moved } from '../../../functions/workers/health-sweep/verdict.ts'
import { readyOf, sampleJoining } from '../../support/store/samples.ts'

const NOW = '2026-11-28T10:00:00.000Z'
const PLANE = { reason: 'CredentialRejected', message: 'The token is refused.' }

const seen = (healthStatus: HealthStatus, healthReason: Record<string, string>): ClusterObservation => ({
  observedAt: NOW,
  healthStatus,
  healthReason,
  version: null,
  nodeCount: 1,
  masterCount: 1,
})
const HEALTHY = seen('HEALTHY', { api: 'ok' })
const API_DOWN = seen('UNHEALTHY', { api: 'connection refused' })
const NODE_DOWN = seen('UNHEALTHY', { api: 'ok', 'n1.Ready': 'False' })

describe('memberFault', () => {
  it.each([
    ['nobody has something against it', HEALTHY, null, undefined],
    ['nobody looked', null, null, undefined],
    ['the control plane alone has', HEALTHY, PLANE, 'CredentialRejected'],
    ['the control plane has, and the cluster was never checked', null, PLANE, 'CredentialRejected'],
    ['its API is down', API_DOWN, null, 'ClusterUnhealthy'],
    ['its API is down, which is why the control plane does not reach it', API_DOWN, PLANE, 'ClusterUnhealthy'],
    ['a node is down', NODE_DOWN, null, 'ClusterUnhealthy'],
    ['a node is down, and the control plane has more against it', NODE_DOWN, PLANE, 'CredentialRejected'],
  ])('when %s', (_, cluster, plane, reason) => {
    expect(memberFault(cluster, plane)?.reason).toBe(reason)
  })
})

describe('planeFault', () => {
  const look = (confirmed: boolean) => ({ observedAt: NOW, fault: null, members: { c1: { ...PLANE, confirmed } } })
  it('counts once two observations agree', () => {
    expect([planeFault(look(false), 'c1'), planeFault(look(true), 'c1')]).toEqual([null, PLANE])
    expect([planeFault(look(true), 'c2'), planeFault(null, 'c1')]).toEqual([null, null])
  })
})

describe('moved', () => {
  const ready = readyOf(sampleJoining({ since: '2026-11-27T10:00:00.000Z' }))
  const degraded: DegradedMembership = { ...ready, state: 'Degraded', ...PLANE }
  const warning = { reason: 'ProxyDisabled', message: 'Another one uses it.' }

  it('says nothing where nothing changes', () => {
    expect(moved(ready, { fault: null }, NOW)).toBeUndefined()
    expect(moved(ready, { fault: null, warning: null }, NOW)).toBeUndefined()
    expect(moved({ ...ready, ...warning }, { fault: null }, NOW)).toBeUndefined()
    expect(moved({ ...ready, ...warning }, { fault: null, warning }, NOW)).toBeUndefined()
    expect(moved(degraded, { fault: PLANE }, NOW)).toBeUndefined()
  })

  it('degrades, in place of a warning', () => {
    expect(moved({ ...ready, ...warning }, { fault: PLANE }, NOW)).toEqual({ ...degraded, since: NOW })
  })

  it('heals, with the warning that is known', () => {
    expect(moved(degraded, { fault: null }, NOW)).toEqual({ ...ready, since: NOW })
    expect(moved(degraded, { fault: null, warning }, NOW)).toEqual({ ...ready, ...warning, since: NOW })
  })

  it('keeps the time of the state when only the words change', () => {
    const other = { reason: 'TlsVerificationFailed', message: 'It expired.' }
    expect(moved(degraded, { fault: other }, NOW)).toEqual({ ...degraded, ...other })
    expect(moved(ready, { fault: null, warning }, NOW)).toEqual({ ...ready, ...warning })
    expect(moved({ ...ready, ...warning }, { fault: null, warning: null }, NOW)).toEqual(ready)
  })
})
