import {
  ExecutionDoesNotExist,
  GetExecutionHistoryCommand,
  type GetExecutionHistoryCommandOutput,
  type SFNClient,
} from '@aws-sdk/client-sfn'
import type { Executions } from '../core/ports.ts'
import { callSfn, executionArn } from './aws-table-ports.ts'

/**
 * Where an execution is, by its history from the end. A file of its own: the shapes of all events of Step Functions are in it, and only the
 * reconciler needs them.
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
