import type { Json } from '../core/values/json.ts'
import { awsPorts } from '../runtime/aws-ports.ts'
import { readEnv, workerEnv } from '../runtime/env.ts'
import { lazy } from '../runtime/lazy.ts'
import { flowHandler } from './flow-handler.ts'

const run = lazy(() => flowHandler(awsPorts(readEnv(workerEnv))))

/** Lambda entry of the steps of all flows: the event says which. */
export const handler = async (event: unknown): Promise<Json> => run()(event)
