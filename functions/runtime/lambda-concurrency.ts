import {
  DeleteFunctionConcurrencyCommand,
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda'
import type { ConcurrencyPort } from '../core/ports.ts'

/** Concurrency as Lambda's API has it. Throws what the SDK throws. */
export const lambdaConcurrency = (client: Pick<LambdaClient, 'send'>): ConcurrencyPort => ({
  unreserved: async () => {
    const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}))
    return AccountLimit?.UnreservedConcurrentExecutions ?? 0
  },
  reserved: async (FunctionName) =>
    (await client.send(new GetFunctionConcurrencyCommand({ FunctionName }))).ReservedConcurrentExecutions,
  reserve: async (FunctionName, ReservedConcurrentExecutions) => {
    await client.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }))
  },
  release: async (FunctionName) => {
    await client.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
  },
})
