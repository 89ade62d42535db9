import { MetricUnit } from '@aws-lambda-powertools/metrics'
import { describe, expect, it } from 'vitest'
import { publishMetrics } from '../../../functions/runtime/metrics.ts'

const recorder = () => {
  const calls: unknown[] = []
  return {
    calls,
    addMetric: (...metric: unknown[]) => void calls.push(metric),
    publishStoredMetrics: () => void calls.push('published'),
  }
}

describe('publishMetrics', () => {
  it('writes values with the unit that the name tells, and leaves counters out that counted nothing', () => {
    const writer = recorder()
    publishMetrics(writer)({ OverdueSeconds: 0, OperationsGivenUp: 0, SweepFaults: 2 })
    expect(writer.calls).toEqual([
      ['OverdueSeconds', MetricUnit.Seconds, 0],
      ['SweepFaults', MetricUnit.Count, 2],
      'published',
    ])
  })

  it('writes nothing where there is nothing', () => {
    const writer = recorder()
    publishMetrics(writer)({ SweepFaults: 0 })
    expect(writer.calls).toEqual([])
  })
})
