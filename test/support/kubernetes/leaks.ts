import { inspect } from 'node:util'

/** Everything of an error that a log, a response or Step Functions could show: message, stack, details, whole chain of causes. */
export const everythingOf = (error: unknown): string => {
  const texts: string[] = []
  for (let at: unknown = error; at !== undefined && at !== null; at = (at as { cause?: unknown }).cause) {
    texts.push(inspect(at, { depth: 10, showHidden: true }), JSON.stringify(at) ?? '', String((at as Error).stack))
  }
  return texts.join('\n')
}

/** What the call throws; fails when it returns. */
export const thrownBy = (call: () => unknown): unknown => {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('expected the call to throw')
}

/** What the promise rejects with; fails when it resolves. */
export const rejectionOf = async (promise: Promise<unknown>): Promise<unknown> => {
  const result = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  if (result === undefined) throw new Error('expected the promise to reject')
  return result.error
}
