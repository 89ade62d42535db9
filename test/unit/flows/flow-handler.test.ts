import { describe, expect, it, vi } from 'vitest'
import { handlerFor } from '../../../functions/flows/flow-handler.ts'
import type { Step, StepPorts } from '../../../functions/flows/step.ts'
import type { Connect, Connection } from '../../../functions/kubernetes/client.ts'
import { ConnectFailed } from '../../../functions/kubernetes/errors.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

const state = { projectId: 'p', entityId: 'e', operationId: 'o', attempt: 1, mode: 'do' }
const handle = (step: Step, event: unknown = { flow: 'member-join', step: 'It', state }) => {
  const log = keptLog()
  const handler = handlerFor({ log } as unknown as StepPorts, { 'member-join': { It: step } })
  return { log, answer: handler(event) }
}

describe('handlerFor', () => {
  it('gives the step its state with the progress of the step before', async () => {
    const seen: unknown[] = []
    const event = { flow: 'member-join', step: 'It', state: { ...state, result: { progress: { at: 3 } } } }
    await handle(async (_, given) => {
      seen.push(given)
      return { done: true }
    }, event).answer
    expect(seen).toEqual([{ ...state, progress: { at: 3 } }])
  })

  it('throws our own errors with name and message, and neither stack nor cause', async () => {
    const { answer } = handle(async () => {
      throw new ConnectFailed('Could not connect.', { cause: new Error('secret') })
    })
    const error = await answer.catch((thrown: unknown) => thrown as Error)
    expect(error).toMatchObject({
      name: 'ConnectFailed',
      message: 'Could not connect.',
      stack: 'ConnectFailed: Could not connect.',
    })
    expect((error as Error).cause).toBeUndefined()
  })

  it('hides every other error behind StepFailed and logs it', async () => {
    const { answer, log } = handle(async () => {
      throw new TypeError('token abc')
    })
    const error = (await answer.catch((thrown: unknown) => thrown)) as Error
    expect(error.name).toBe('StepFailed')
    expect(JSON.stringify([error.message, error.stack])).not.toContain('abc')
    expect(log.lines.at(-1)).toMatchObject({ level: 'error', fields: { error: expect.any(TypeError) } })
  })

  it('begins no call of a cluster when the step has had its time', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    const asked: string[] = []
    const connect = (() => ({ raw: async (path: string) => asked.push(path), close: () => {} })) as unknown as Connect
    const step: Step = async (ports) => {
      const client = ports.connect({ server: 'https://10.0.0.1:6443' } as Connection)
      await client.raw('/readyz')
      clock.mockReturnValue(60_000)
      await client.raw('/livez')
      return { done: true }
    }
    const handler = handlerFor({ log: keptLog(), connect } as unknown as StepPorts, { 'member-join': { It: step } })
    const answer = handler({ flow: 'member-join', step: 'It', state }).finally(() => clock.mockRestore())
    await expect(answer).rejects.toMatchObject({
      name: 'RequestTimedOut',
      message: expect.stringMatching(/^10\.0\.0\.1:6443 was not asked/),
    })
    expect(asked).toEqual(['/readyz'])
  })

  it.each([
    ['a flow without it', { flow: 'member-unjoin', step: 'It', state }],
    ['an unknown step', { flow: 'member-join', step: 'Other', state }],
    ['no ids', { flow: 'member-join', step: 'It', state: {} }],
    ['nothing', undefined],
  ])('refuses an event of %s', async (_, event) => {
    const { answer } = handle(async () => ({ done: true }), event ?? null)
    await expect(answer).rejects.toMatchObject({ name: 'StepFailed' })
  })
})
