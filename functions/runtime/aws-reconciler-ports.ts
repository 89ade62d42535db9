import {
  ExecutionDoesNotExist,
  GetExecutionHistoryCommand,
  type GetExecutionHistoryCommandOutput,
  SFNClient,
} from '@aws-sdk/client-sfn'
import type { Executions, TablePorts } from '../core/ports.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'
import { awsTablePorts, callSfn, executionArn } from './aws-table-ports.ts'
import type { ReconcilerEnv } from './env.ts'

/**
 * Where an execution is, by its history from the end.
 *
 * @param prefix ARN of the flows' state machines up to the flow's name
 */
export const sfnLastState =
  (client: Pick<SFNClient, 'send'>, prefix: string): Executions['lastState'] =>
  async (ref) => {
    let nextToken: string | undefined
    do {
      const command = new GetExecutionHistoryCommand({
        executionArn: executionArn(prefix, ref),
        reverseOrder: true,
        includeExecutionData: false,
        nextToken,
      })
      const page = await callSfn<GetExecutionHistoryCommandOutput | null>(
        `read the history of ${ref.flow}`,
        () => client.send(command),
        (error) => (error instanceof ExecutionDoesNotExist ? null : undefined),
      )
      const entered = page?.events?.find(({ stateEnteredEventDetails }) => stateEnteredEventDetails !== undefined)
      if (entered !== undefined) return entered.stateEnteredEventDetails?.name
      nextToken = page?.nextToken
    } while (nextToken !== undefined)
    return undefined
  }

/** Ports of the reconciler, which alone may read histories: the shapes of all events of Step Functions come with that. Calls nothing. */
export const awsReconcilerPorts = (env: ReconcilerEnv): TablePorts => {
  const ports = awsTablePorts(env)
  const client = new SFNClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS })
  const lastState = sfnLastState(client, env.STATE_MACHINE_ARN_PREFIX)
  return { ...ports, executions: { ...ports.executions, lastState } }
}
