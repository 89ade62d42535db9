import type { ExecutionRef, Flow, FlowInput } from '../../../functions/core/operation/operation.ts'
import type { Logger } from '../../../functions/core/ports.ts'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { type EmbeddedDynamoDb, openEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { SUBSTITUTIONS } from '../../../local/engine/asl-lint.ts'
import { type Definitions, parseDefinition } from '../../../local/engine/definition.ts'
import { Engine, type OnUnsuccessfulEnd } from '../../../local/engine/engine.ts'
import {
  createExecutionTable,
  dynamoExecutionTable,
  type ExecutionTable,
} from '../../../local/engine/execution-table.ts'
import type { FlowHandler } from '../../../local/engine/task-binding.ts'

/** Log lines kept for an observation instead of written. */
export const keptLog = (
  lines: { level: string; message: string; fields?: unknown }[] = [],
): Logger & { lines: typeof lines } => {
  const at =
    (level: string) =>
    (message: string, fields?: Record<string, unknown>): void => {
      lines.push({ level, message, fields })
    }
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => keptLog(lines),
  }
}

/** Waits until the probe gives something. @throws when it does not in time (default 30 s, for busy machines) */
export const until = async <T>(
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  milliseconds = 30_000,
): Promise<T> => {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const found = await probe()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`not within ${milliseconds} ms: ${probe}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** A promise that is settled from outside. */
export const gate = (): { open: () => void; passed: Promise<void> } => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { open: () => resolve(), passed: promise }
}

type State = Record<string, unknown>

/** A Task as all of our flows have it. */
export const task = (step: string, more: State): State => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Parameters: {
    FunctionName: `\${${SUBSTITUTIONS[0]}}`,
    Payload: { flow: 'member-join', step, 'state.$': '$' },
  },
  ResultSelector: { 'done.$': '$.Payload.done', 'status.$': '$.StatusCode' },
  ResultPath: '$.progress',
  TimeoutSeconds: 20,
  ...more,
})

export const FLOW = 'member-join' satisfies Flow

export const definitionsOf = (states: Record<string, State>, top: State = {}): Definitions => ({
  [FLOW]: parseDefinition(FLOW, JSON.stringify({ StartAt: Object.keys(states)[0], States: states, ...top })),
})

export const INPUT: FlowInput = { projectId: 'p', entityId: 'e', operationId: 'o', attempt: 1, mode: 'do' }

let count = 0
/** A name that no other test uses. */
export const freshRef = (): ExecutionRef => ({ flow: FLOW, name: `execution-${process.pid}-${++count}` })

export type EngineLab = {
  table: ExecutionTable
  database: EmbeddedDynamoDb
  engine(
    definitions: Definitions,
    handlers: { readonly [FLOW]: FlowHandler },
    onUnsuccessfulEnd?: OnUnsuccessfulEnd,
    atOnce?: number,
  ): Engine
  stop(): Promise<void>
}

/** An embedded database with the engine's table. Engines made from it share the table, as processes one after the other do. */
export const openEngineLab = async (): Promise<EngineLab> => {
  const database = openEmbeddedDynamoDb({ dataDir: undefined })
  const client = openDocumentClient(database.connection)
  await createExecutionTable(client)
  const table = dynamoExecutionTable(client)
  const engines: Engine[] = []
  return {
    table,
    database,
    engine: (definitions, handlers, onUnsuccessfulEnd, atOnce) => {
      const clock = { now: () => new Date() }
      const more = { ...(onUnsuccessfulEnd && { onUnsuccessfulEnd }), ...(atOnce && { atOnce }) }
      const engine = new Engine({ table, definitions, handler: handlers[FLOW], clock, log: keptLog(), ...more })
      engines.push(engine)
      return engine
    },
    stop: async () => {
      await Promise.all(engines.map((engine) => engine.close()))
      client.destroy()
      database.stop()
    },
  }
}
