import { awsTablePorts } from '../../runtime/aws-table-ports.ts'
import { readEnv, reconcilerEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { renewDue } from './renew.ts'

const ports = lazy(() => awsTablePorts(readEnv(reconcilerEnv)))

/** Lambda entry of the schedule that starts due renewals. */
export const handler = async (): Promise<{ started: number }> => ({ started: await renewDue(ports()) })
