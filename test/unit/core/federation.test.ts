import { describe, expect, it } from 'vitest'
import {
  CONTROL_PLANE_READY,
  type ControlPlaneObservation,
  decidingOperation,
  isInitialized,
} from '../../../functions/core/federation/federation.ts'
import { sampleFederation, sampleOperation } from '../../support/store/samples.ts'

const ready = (status: 'True' | 'False') => [
  { type: CONTROL_PLANE_READY, status, reason: 'Any', message: '', observedRevision: 1, changedAt: '' },
]
const LOOK: ControlPlaneObservation = { observedAt: '2026-11-27T10:00:00.000Z', fault: 'EtcdDown', members: {} }

describe('isInitialized', () => {
  it.each([
    ['while it is created', { conditions: [], observation: null }, false],
    ['once it is ready', { conditions: ready('True'), observation: null }, true],
    ['when its create failed', { conditions: ready('False'), observation: null }, false],
    ['when it has a fault', { conditions: ready('False'), observation: LOOK }, true],
  ])('%s', (_, federation, expected) => {
    expect(isInitialized(federation)).toBe(expected)
  })
})

describe('decidingOperation', () => {
  it.each(['create', 'update', 'delete'] as const)('is a %s', (kind) => {
    const operation = sampleOperation(kind)
    expect(decidingOperation(sampleFederation({ operation }))).toEqual(operation)
  })

  it('is none during a rotation', () => {
    expect(decidingOperation(sampleFederation({ operation: sampleOperation('rotate') }))).toBeNull()
    expect(decidingOperation(sampleFederation())).toBeNull()
  })
})
