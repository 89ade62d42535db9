import { awsReconcilerPorts } from '../../runtime/aws-reconciler-ports.ts'
import { readEnv, reconcilerEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { publishMetrics } from '../../runtime/metrics.ts'
import { type ReconcileReport, reconcile } from './reconcile.ts'

const ports = lazy(() => awsReconcilerPorts(readEnv(reconcilerEnv)))
const publish = lazy(() => publishMetrics())

/** Lambda entry of the reconciler, for the schedule and for executions that ended badly alike: the event is not checked. */
export const handler = async (): Promise<ReconcileReport> => {
  const report = await reconcile(ports())
  const { overdueSeconds, silentSeconds, givenUp } = report
  publish()({ OverdueSeconds: overdueSeconds, SilentSeconds: silentSeconds, OperationsGivenUp: givenUp })
  return report
}
