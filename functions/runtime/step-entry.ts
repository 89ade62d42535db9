import type { Json } from '../domain/json.ts'
import type { Flow } from '../domain/operation.ts'
import { handlerFor, type Steps } from '../steps/handler-for.ts'
import { POLL_MS } from '../steps/poll.ts'
import { awsPorts } from './aws-ports.ts'
import { readEnv, workerEnv } from './env.ts'
import { lazy } from './lazy.ts'

/** Lambda entry of a flow's function. */
export const stepEntry = (flow: Flow, steps: Steps): ((event: unknown) => Promise<Json>) => {
  const run = lazy(() => {
    const env = readEnv(workerEnv)
    return handlerFor({ ...awsPorts(env), pollMs: POLL_MS }, flow, steps)
  })
  return async (event) => run()(event)
}
