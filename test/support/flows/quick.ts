import type { Definition, Definitions } from '../../../local/engine/definition.ts'

type State = Record<string, unknown>

/** A Wait of a moment instead of the seconds that a step asks for. */
const quickWait = ({ SecondsPath: _, ...state }: State): State => ({ ...state, Seconds: 0.005 })

const quickTask = (state: State): State => ({
  ...state,
  Retry: (state.Retry as State[]).map(({ MaxDelaySeconds: _, JitterStrategy: __, ...retry }) => ({
    ...retry,
    IntervalSeconds: 0.005,
    BackoffRate: 1,
  })),
})

const quickState = (state: State): State => {
  if (state.Type === 'Wait') return quickWait(state)
  return state.Type === 'Task' ? quickTask(state) : state
}

/** The same machines with waits and retry pauses of 5 ms: nothing else differs from what is deployed. */
export const quick = (definitions: Definitions): Definitions =>
  Object.fromEntries(
    Object.entries(definitions).map(([flow, definition]) => {
      const states = Object.entries(definition.States as unknown as Record<string, State>)
      const States = Object.fromEntries(states.map(([name, state]) => [name, quickState(state)]))
      return [flow, { ...definition, States } as unknown as Definition]
    }),
  )
