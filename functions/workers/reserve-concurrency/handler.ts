import { awsReserveConcurrency } from '../../runtime/aws-reserve-concurrency.ts'
import { readEnv, reserveConcurrencyEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { reserveConcurrency } from './reserve.ts'

const ports = lazy(() => awsReserveConcurrency(readEnv(reserveConcurrencyEnv)))

/** Lambda entry of CloudFormation, when the API's stack is made, changed and destroyed. */
export const handler = (event: unknown): Promise<void> => reserveConcurrency(event, ports())
