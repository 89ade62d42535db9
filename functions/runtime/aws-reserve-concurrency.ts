import {
  DeleteFunctionConcurrencyCommand,
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda'
import type { ConcurrencyPort } from '../core/ports.ts'
import { AWS_CLIENT_OPTIONS, putAnswer } from './aws-clients.ts'
import type { ReserveConcurrencyEnv } from './env.ts'
import { powertoolsLog } from './powertools-log.ts'

/** Concurrency as Lambda's API has it. Throws what the SDK throws. */
const lambdaConcurrency = (client: Pick<LambdaClient, 'send'>): ConcurrencyPort => ({
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

/** What reserves concurrency on AWS. Makes the client unless it is given one, calls nothing. */
export const awsReserveConcurrency = (
  { AWS_REGION }: ReserveConcurrencyEnv,
  client: Pick<LambdaClient, 'send'> = new LambdaClient({ region: AWS_REGION, ...AWS_CLIENT_OPTIONS }),
) => ({ concurrency: lambdaConcurrency(client), put: putAnswer, log: powertoolsLog() })
