import { awsPorts } from '../../runtime/aws-ports.ts'
import { readEnv, reconcilerEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { noClusters } from '../../runtime/no-clusters.ts'
import { renewDue } from './renew.ts'

const ports = lazy(() => awsPorts(readEnv(reconcilerEnv), noClusters))

/** Lambda entry of the schedule that starts due renewals. */
export const handler = async (): Promise<{ started: number }> => ({ started: await renewDue(ports()) })
