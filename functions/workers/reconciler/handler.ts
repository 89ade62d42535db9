import { SFNClient } from '@aws-sdk/client-sfn'
import type { TablePorts } from '../../core/ports.ts'
import { AWS_CLIENT_OPTIONS } from '../../runtime/aws-clients.ts'
import { sfnLastState } from '../../runtime/aws-last-state.ts'
import { awsTablePorts } from '../../runtime/aws-table-ports.ts'
import { readEnv, reconcilerEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { publishMetrics } from '../../runtime/metrics.ts'
import { type ReconcileReport, reconcile } from './reconcile.ts'

const ports = lazy((): TablePorts => {
  const env = readEnv(reconcilerEnv)
  const ports = awsTablePorts(env)
  const client = new SFNClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS })
  const lastState = sfnLastState(client, env.STATE_MACHINE_ARN_PREFIX)
  return { ...ports, executions: { ...ports.executions, lastState } }
})
const publish = lazy(() => publishMetrics())

/** Lambda entry of the reconciler, for the schedule and for executions that ended badly alike: the event is not checked. */
export const handler = async (): Promise<ReconcileReport> => {
  const report = await reconcile(ports())
  const { overdueSeconds, silentSeconds, givenUp } = report
  publish()({ OverdueSeconds: overdueSeconds, SilentSeconds: silentSeconds, OperationsGivenUp: givenUp })
  return report
}
