import type { ObserveKey } from '../../core/cluster/observe-request.ts'
import { type SweepPart, WHOLE_SWEEP } from '../../core/values/workers.ts'
import { awsPorts } from '../../runtime/aws-ports.ts'
import { readEnv, workerEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { publishMetrics } from '../../runtime/metrics.ts'
import { observeAll } from './observe-requested.ts'
import { type SweepReport, sweepHealth } from './sweep.ts'

const ports = lazy(() => {
  const env = readEnv(workerEnv)
  return awsPorts(env)
})
const publish = lazy(() => publishMetrics())

/** Lambda entry of the schedule, for each part of the sweep, that checks clusters, and of who found requests to observe some in the table's stream (`trigger-fan-out`). */
export const handler = async (event: {
  observe?: readonly ObserveKey[]
  part?: SweepPart
}): Promise<SweepReport | { putOff: number }> => {
  if (event.observe !== undefined) return observeAll(ports(), event.observe)
  const begun = performance.now()
  const report = await sweepHealth(ports(), { part: event.part ?? WHOLE_SWEEP })
  publish()({
    SweepFaults: report.failed + report.federations.failed,
    SweepSeconds: (performance.now() - begun) / 1000,
    SweepStaleSeconds: report.staleSeconds,
  })
  return report
}
