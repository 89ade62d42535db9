import { ExecutionAlreadyExists, ExecutionDoesNotExist, type SFNClient } from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import type { FlowInput } from '../../../functions/core/operation/operation.ts'
import { sfnLastState } from '../../../functions/runtime/aws-reconciler-ports.ts'
import { sfnExecutions } from '../../../functions/runtime/aws-table-ports.ts'
import { ExecutionsUnavailable } from '../../../functions/runtime/errors.ts'

const PREFIX = 'arn:aws:states:eu-central-1:111122223333:stateMachine:fedplane-'
const EXECUTION = 'arn:aws:states:eu-central-1:111122223333:execution:fedplane-member-join:op-1'
const REF = { flow: 'member-join', name: 'op-1' } as const
const INPUT: FlowInput = { projectId: 'p', entityId: 'f:c', operationId: 'op', attempt: 1, mode: 'do' }

const exists = new ExecutionAlreadyExists({ message: 'exists', $metadata: {} })
const unknown = new ExecutionDoesNotExist({ message: 'unknown', $metadata: {} })

/** A client that records each command's input and gives one answer. */
const clientWith = (answer: unknown) => {
  const sent: { command: string; input: unknown }[] = []
  const send = (command: { input: unknown; constructor: { name: string } }): Promise<unknown> => {
    sent.push({ command: command.constructor.name, input: command.input })
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }
  return { sent, executions: sfnExecutions({ send } as unknown as Pick<SFNClient, 'send'>, PREFIX) }
}

describe('sfnExecutions', () => {
  describe('start', () => {
    it('starts the machine of the flow under the given name', async () => {
      const { sent, executions } = clientWith({})
      await executions.start(REF, INPUT)
      expect(sent).toEqual([
        {
          command: 'StartExecutionCommand',
          input: { stateMachineArn: `${PREFIX}member-join`, name: 'op-1', input: JSON.stringify(INPUT) },
        },
      ])
    })

    it('is content with a name that was started before', async () => {
      await expect(clientWith(exists).executions.start(REF, INPUT)).resolves.toBeUndefined()
    })

    it('throws a retryable error for anything else', async () => {
      const failed = clientWith(new Error('throttled')).executions.start(REF, INPUT)
      await expect(failed).rejects.toBeInstanceOf(ExecutionsUnavailable)
      await expect(failed).rejects.toMatchObject({ retryable: true })
    })
  })

  describe('stop', () => {
    it('stops the execution with the cause', async () => {
      const { sent, executions } = clientWith({})
      await executions.stop(REF, 'superseded')
      expect(sent).toEqual([
        {
          command: 'StopExecutionCommand',
          input: { executionArn: EXECUTION, error: 'Stopped', cause: 'superseded' },
        },
      ])
    })

    it('is content when there is none', async () => {
      await expect(clientWith(unknown).executions.stop(REF, 'x')).resolves.toBeUndefined()
    })

    it('throws for anything else', async () => {
      await expect(clientWith(exists).executions.stop(REF, 'x')).rejects.toBeInstanceOf(ExecutionsUnavailable)
    })
  })

  describe('describe', () => {
    it.each([
      ['RUNNING', 'running'],
      ['SUCCEEDED', 'succeeded'],
      ['FAILED', 'failed'],
      ['TIMED_OUT', 'timed-out'],
      ['ABORTED', 'aborted'],
      ['PENDING_REDRIVE', 'failed'],
    ])('tells %s as %s', async (status, state) => {
      expect(await clientWith({ status }).executions.describe(REF)).toBe(state)
    })

    it('tells one that never was as not-found', async () => {
      expect(await clientWith(unknown).executions.describe(REF)).toBe('not-found')
    })

    it('asks for the execution by its ARN', async () => {
      const { sent, executions } = clientWith({ status: 'RUNNING' })
      await executions.describe(REF)
      expect(sent[0]?.input).toMatchObject({ executionArn: EXECUTION })
    })

    it('throws for anything else', async () => {
      await expect(clientWith(new Error('no answer')).executions.describe(REF)).rejects.toBeInstanceOf(
        ExecutionsUnavailable,
      )
    })
  })

  describe('where an execution is', () => {
    const entered = (name: string) => ({ stateEnteredEventDetails: { name } })
    const lastState = (...answers: unknown[]) => {
      const asked: unknown[] = []
      const send = async ({ input }: { input: unknown }) => {
        asked.push(input)
        const answer = answers.shift()
        if (answer instanceof Error) throw answer
        return answer
      }
      const ask = sfnLastState({ send } as unknown as Pick<SFNClient, 'send'>, PREFIX)
      return { asked, found: ask(REF) }
    }

    it('is the state that was entered last, however many tries are behind it', async () => {
      const retries = { events: [{}, {}], nextToken: 'more' }
      const { asked, found } = lastState(retries, { events: [{}, entered('RecordSuccess'), entered('PhaseDone')] })
      expect(await found).toBe('RecordSuccess')
      expect(asked).toMatchObject([
        { executionArn: EXECUTION, reverseOrder: true, includeExecutionData: false },
        { executionArn: EXECUTION, nextToken: 'more' },
      ])
    })

    it('is not known of one that was never there, or has entered none', async () => {
      expect(await lastState(unknown).found).toBeUndefined()
      expect(await lastState({ events: [{}] }).found).toBeUndefined()
    })

    it('can not be asked for a while when Step Functions does not answer, nor by functions without the right', async () => {
      await expect(lastState(new Error('throttled')).found).rejects.toBeInstanceOf(ExecutionsUnavailable)
      await expect(clientWith({}).executions.lastState(REF)).rejects.toBeInstanceOf(ExecutionsUnavailable)
    })
  })
})
