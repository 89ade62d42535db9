import { awsPorts } from '../../runtime/aws-ports.ts'
import { readEnv, reconcilerEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { noClusters } from '../../runtime/no-clusters.ts'
import { type ReconcileReport, reconcile } from './reconcile.ts'

const ports = lazy(() => awsPorts(readEnv(reconcilerEnv), noClusters))

/** Lambda entry of the reconciler, for the schedule and for executions that ended badly alike: the event is not looked at. */
export const handler = async (): Promise<ReconcileReport> => reconcile(ports())
