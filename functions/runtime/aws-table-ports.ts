import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  ExecutionStatus,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import { newUuidV7 } from '../core/ids.ts'
import type { ExecutionRef, Flow } from '../core/operation/operation.ts'
import type { Clock, ExecutionState, Executions, KeyService, TablePorts } from '../core/ports.ts'
import { driverDescriptions } from '../drivers/descriptions.ts'
import type { RegistryOptions } from '../drivers/enabled.ts'
import { openDocumentClient } from '../store/dynamodb/request.ts'
import { dynamoStores } from '../store/dynamodb/stores.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'
import type { ReconcilerEnv } from './env.ts'
import { ExecutionsUnavailable, KeyAccessMissing } from './errors.ts'
import { powertoolsLog } from './powertools-log.ts'

const listOf = (text: string): string[] => text.split(',').flatMap((part) => part.trim() || [])

/** Which drivers an installation on AWS offers: as its settings say, the first federation driver the default; else what is usual. */
export const enabledDrivers = (env: Pick<ReconcilerEnv, 'FEDERATION_DRIVERS' | 'CLUSTER_DRIVERS'>): RegistryOptions => {
  const [federation, cluster] = [listOf(env.FEDERATION_DRIVERS), listOf(env.CLUSTER_DRIVERS)]
  const [first] = federation
  return {
    ...(first === undefined ? {} : { enabledFederation: federation, defaultFederation: first }),
    ...(cluster.length === 0 ? {} : { enabledCluster: cluster }),
  }
}

/** @throws KeyAccessMissing always */
export const refuseKeys = async (): Promise<never> => {
  throw new KeyAccessMissing(
    'This spelling of the path is not served; use the one that GET /v1 links to, without a trailing slash.',
  )
}

/** For functions that have no rights on keys. */
export const noKeys: KeyService = { generateDataKey: refuseKeys, decrypt: refuseKeys }

/** Longest cause that StopExecution takes, characters. */
const CAUSE_MAX = 32_768

/** `PENDING_REDRIVE` ends only by a redrive, which we never do: it is as good as failed. */
const STATES: Readonly<Record<ExecutionStatus, ExecutionState>> = {
  [ExecutionStatus.RUNNING]: 'running',
  [ExecutionStatus.SUCCEEDED]: 'succeeded',
  [ExecutionStatus.FAILED]: 'failed',
  [ExecutionStatus.TIMED_OUT]: 'timed-out',
  [ExecutionStatus.ABORTED]: 'aborted',
  [ExecutionStatus.PENDING_REDRIVE]: 'failed',
}

/** Runs a call; `unless` turns the one refusal that is an answer into it. @throws ExecutionsUnavailable */
export const callSfn = async <T>(
  what: string,
  send: () => Promise<T>,
  unless: (error: unknown) => T | undefined,
): Promise<T> => {
  try {
    return await send()
  } catch (error) {
    const answer = unless(error)
    if (answer !== undefined) return answer
    throw new ExecutionsUnavailable(`Step Functions could not ${what}; try again later.`, { cause: error })
  }
}

/** ARN of an execution, by the prefix of its machine's. */
export const executionArn = (prefix: string, { flow, name }: ExecutionRef): string =>
  `${prefix.replace(':stateMachine:', ':execution:')}${flow}:${name}`

/**
 * Executions in Step Functions. Standard machines: a closed name stays known for 90 days.
 *
 * @param prefix ARN of the flows' state machines up to the flow's name: `arn:…:stateMachine:fedplane-`
 */
export const sfnExecutions = (client: Pick<SFNClient, 'send'>, prefix: string): Executions => {
  const machineArn = (flow: Flow): string => `${prefix}${flow}`

  return {
    async start(ref, input) {
      const command = new StartExecutionCommand({
        stateMachineArn: machineArn(ref.flow),
        name: ref.name,
        input: JSON.stringify(input),
      })
      await callSfn(
        `start ${ref.flow}`,
        async () => {
          await client.send(command)
          return true
        },
        (error) => error instanceof ExecutionAlreadyExists || undefined,
      )
    },
    async stop(ref, cause) {
      const command = new StopExecutionCommand({
        executionArn: executionArn(prefix, ref),
        error: 'Stopped',
        cause: cause.slice(0, CAUSE_MAX),
      })
      await callSfn(
        `stop ${ref.flow}`,
        async () => {
          await client.send(command)
          return true
        },
        (error) => error instanceof ExecutionDoesNotExist || undefined,
      )
    },
    describe(ref) {
      const command = new DescribeExecutionCommand({
        executionArn: executionArn(prefix, ref),
        includedData: 'METADATA_ONLY',
      })
      return callSfn<ExecutionState>(
        `describe ${ref.flow}`,
        async () => {
          const { status } = await client.send(command)
          return STATES[status ?? ExecutionStatus.RUNNING]
        },
        (error) => (error instanceof ExecutionDoesNotExist ? 'not-found' : undefined),
      )
    },
    async lastState(ref) {
      throw new ExecutionsUnavailable(`This function may not read the history of ${ref.flow}; the reconciler may.`)
    },
  }
}

const systemClock: Clock = { now: () => new Date() }

/**
 * Ports on AWS: DynamoDB, Step Functions, JSON logs, and what drivers say. Makes the clients, calls nothing. A file of its own, so that
 * functions without rights on keys carry no driver and no way into clusters.
 *
 * @param keys default: refuses
 */
export const awsTablePorts = (env: ReconcilerEnv, keys: KeyService = noKeys): TablePorts => {
  const clock = systemClock
  return {
    stores: dynamoStores({
      documentClient: openDocumentClient({ region: env.AWS_REGION }),
      tableName: env.TABLE_NAME,
      keys,
      clock,
    }),
    executions: sfnExecutions(
      new SFNClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS }),
      env.STATE_MACHINE_ARN_PREFIX,
    ),
    drivers: driverDescriptions(enabledDrivers(env)),
    clock,
    newId: () => newUuidV7(clock),
    log: powertoolsLog(),
  }
}
