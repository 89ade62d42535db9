import { LambdaClient } from '@aws-sdk/client-lambda'
import { AWS_CLIENT_OPTIONS } from './aws-client-options.ts'
import type { ReserveConcurrencyEnv } from './env.ts'
import { lambdaConcurrency } from './lambda-concurrency.ts'
import { powertoolsLog } from './powertools-log.ts'
import { putAnswer } from './stack-answer.ts'

/** What reserves concurrency on AWS. Makes the client unless it is given one, calls nothing. */
export const awsReserveConcurrency = (
  { AWS_REGION }: ReserveConcurrencyEnv,
  client: Pick<LambdaClient, 'send'> = new LambdaClient({ region: AWS_REGION, ...AWS_CLIENT_OPTIONS }),
) => ({ concurrency: lambdaConcurrency(client), put: putAnswer, log: powertoolsLog() })
