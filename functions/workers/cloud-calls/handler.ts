import type { Context } from 'aws-lambda'
import { awsTablePorts } from '../../runtime/aws-table-ports.ts'
import { readEnv, reconcilerEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { watchCalled } from './watch-called.ts'

const ports = lazy(() => awsTablePorts(readEnv(reconcilerEnv)))

/** Lambda entry of the rules for calls of the cloud's API. It is in the installation's own account. */
export const handler = (event: unknown, { invokedFunctionArn }: Pick<Context, 'invokedFunctionArn'>) =>
  watchCalled(ports(), event, invokedFunctionArn.split(':')[4] ?? '')
