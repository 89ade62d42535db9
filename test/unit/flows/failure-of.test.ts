import { describe, expect, it } from 'vitest'
import { failureOf, type StepState } from '../../../functions/flows/step.ts'

const state = (error?: { Error: string; Cause?: string }): StepState => ({
  projectId: 'p',
  entityId: 'e',
  operationId: 'o',
  attempt: 1,
  mode: 'do',
  progress: undefined,
  ...(error && { error }),
})

describe('failureOf', () => {
  it('takes the failure that the attempt before left', () => {
    const stored = { reason: 'OperationTimedOut', message: 'Too late.' }
    expect(failureOf(state({ Error: 'Other' }), stored)).toBe(stored)
  })

  it('reads the message out of what Lambda makes of an error', () => {
    const Cause = JSON.stringify({ errorType: 'ConnectFailed', errorMessage: 'Could not connect.', trace: ['at x'] })
    expect(failureOf(state({ Error: 'ConnectFailed', Cause }), null)).toEqual({
      reason: 'ConnectFailed',
      message: 'Could not connect.',
    })
  })

  it('takes a cause that is plain text as it is', () => {
    expect(failureOf(state({ Error: 'X', Cause: 'Plain.' }), null)).toEqual({ reason: 'X', message: 'Plain.' })
  })

  it.each([
    ['States.Timeout', 'StepTimedOut'],
    ['Lambda.Unknown', 'StepFailed'],
    ['Sandbox.Timedout', 'StepFailed'],
    ['Runtime.ExitError', 'StepFailed'],
  ])('says %s in its own words, without the cause', (name, reason) => {
    const failure = failureOf(state({ Error: name, Cause: 'internals' }), null)
    expect(failure.reason).toBe(reason)
    expect(failure.message).not.toContain('internals')
  })

  it('says so when nothing is known', () => {
    expect(failureOf(state(), null).reason).toBe('StepFailed')
  })
})
