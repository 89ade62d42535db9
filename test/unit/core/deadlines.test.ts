import { expect, it } from 'vitest'
import {
  createDeadlineSeconds,
  DEADLINE_SECONDS,
  EXECUTION_SECONDS,
} from '../../../functions/core/operation/deadlines.ts'
import { FLOWS } from '../../../functions/core/operation/operation.ts'

it.each([
  [null, 3600],
  [0, 3600],
  [1, 60],
  [90, 5400],
  [Number.MAX_SAFE_INTEGER, 604_800],
])('gives a create with create_timeout %s %i seconds', (minutes, seconds) => {
  expect(createDeadlineSeconds(minutes)).toBe(seconds)
})

it('lets no execution end before the deadline of its operation', () => {
  for (const flow of FLOWS) expect(EXECUTION_SECONDS[flow], flow).toBeGreaterThan(DEADLINE_SECONDS[flow])
  expect(EXECUTION_SECONDS['cluster-create']).toBeGreaterThan(createDeadlineSeconds(Number.MAX_SAFE_INTEGER))
})
