import { awsPorts } from '../../runtime/aws-ports.ts'
import { readEnv, workerEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { publishMetrics } from '../../runtime/metrics.ts'
import { type SweepReport, sweepHealth } from './sweep.ts'

const ports = lazy(() => {
  const env = readEnv(workerEnv)
  return awsPorts(env)
})
const publish = lazy(() => publishMetrics())

/** Lambda entry of the schedule that checks clusters. */
export const handler = async (): Promise<SweepReport> => {
  const report = await sweepHealth(ports())
  publish()({ SweepFaults: report.failed + report.federations.failed })
  return report
}
