import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { openDocumentClient } from '../../functions/store/dynamodb/document-client.ts'
import { takeDataDirectory } from './data-directory.ts'
import { EmbeddedDynamoDbFailed } from './errors.ts'
import { freePort, isPortFree } from './free-port.ts'
import { type GuardedChild, startGuarded } from './guarded-child.ts'
import { findDynamoDbProgram } from './program.ts'

/** The region that local clients sign for; nothing depends on it. */
export const LOCAL_REGION = 'local'

export type EmbeddedDynamoDbOptions = {
  /** Undefined: in memory only, gone with the process. */
  dataDir: string | undefined
  /** Default: a free one. */
  port?: number
  /** Default: `FEDPLANE_DYNAMODB_ENDPOINT`. When given, nothing is started. */
  endpoint?: string | undefined
  /** Default: the npm package's, else `dynoxide` on PATH. */
  program?: string
}

export type EmbeddedDynamoDb = {
  endpoint: string
  /** Of the database's process; undefined when it is not ours. */
  pid: number | undefined
  /** Ends it. Can be called twice. */
  stop(): Promise<void>
}

/** How long the database may take to answer first, milliseconds. Usual: 30; a busy machine: 1,000. */
const READY_DEADLINE_MS = 15_000
const FIRST_POLL_MS = 10
/** How long one question may take, milliseconds: whoever else listens on the port may never answer. */
const ANSWER_MS = 1000
/** Attempts to find a port that nobody takes between our look and the database's bind. */
const PORT_ATTEMPTS = 3

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** True when a DynamoDB answers at the endpoint. */
const answers = async (endpoint: string, over: AbortSignal): Promise<boolean> => {
  const client = openDocumentClient({ region: LOCAL_REGION, endpoint, maxAttempts: 1 })
  const abortSignal = AbortSignal.any([over, AbortSignal.timeout(ANSWER_MS)])
  try {
    await client.send(new ListTablesCommand({ Limit: 1 }), { abortSignal })
    return true
  } catch {
    return false
  } finally {
    client.destroy()
  }
}

/** Until it is over. @throws EmbeddedDynamoDbFailed when the database does not answer in time */
const untilAnswers = async (endpoint: string, over: AbortSignal): Promise<void> => {
  const deadline = Date.now() + READY_DEADLINE_MS
  for (let wait = FIRST_POLL_MS; Date.now() < deadline && !over.aborted; wait = Math.min(wait * 2, 200)) {
    await pause(wait)
    if (await answers(endpoint, over)) return
  }
  throw new EmbeddedDynamoDbFailed(`The embedded DynamoDB did not answer within ${READY_DEADLINE_MS / 1000} seconds.`)
}

/** Waits until the database answers. @throws EmbeddedDynamoDbFailed when it ends before, or does not answer in time */
const untilReady = async (child: GuardedChild, endpoint: string): Promise<void> => {
  const over = new AbortController()
  const ended = child.ended.then((end) => {
    throw new EmbeddedDynamoDbFailed(`The embedded DynamoDB ended at once (${end}).`)
  })
  try {
    await Promise.race([untilAnswers(endpoint, over.signal), ended])
  } finally {
    over.abort()
  }
}

const startOn = async (program: string, port: number, databasePath: string | undefined): Promise<EmbeddedDynamoDb> => {
  const endpoint = `http://127.0.0.1:${port}`
  const args = ['serve', '--host', '127.0.0.1', '--port', String(port)]
  if (databasePath !== undefined) args.push('--db-path', databasePath)
  const child = await startGuarded(program, args)
  try {
    await untilReady(child, endpoint)
  } catch (error) {
    await child.stop()
    throw error
  }
  return { endpoint, pid: child.pid, stop: child.stop }
}

/** On a given port once; else on free ones, since another program may take a port between our look and the bind. */
const startOnSomePort = async (
  program: string,
  port: number | undefined,
  databasePath: string | undefined,
): Promise<EmbeddedDynamoDb> => {
  if (port !== undefined) {
    if (await isPortFree(port)) return startOn(program, port, databasePath)
    throw new EmbeddedDynamoDbFailed(`The port ${port} for the embedded DynamoDB is used by another program.`)
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(program, await freePort(), databasePath)
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error
    }
  }
}

/**
 * A DynamoDB for this process: the one at `endpoint`, or an embedded one on loopback that ends with this process even when that
 * is killed. Returns when it answers.
 *
 * @throws DynamoDbProgramNotFound, DataDirectoryInUse, DataDirectoryUnusable, EmbeddedDynamoDbFailed
 */
export const startEmbeddedDynamoDb = async ({
  dataDir,
  port,
  endpoint = process.env.FEDPLANE_DYNAMODB_ENDPOINT,
  program,
}: EmbeddedDynamoDbOptions): Promise<EmbeddedDynamoDb> => {
  if (endpoint !== undefined && endpoint !== '') return { endpoint, pid: undefined, stop: async () => undefined }
  const found = program ?? findDynamoDbProgram()
  const directory = dataDir === undefined ? undefined : takeDataDirectory(dataDir)
  try {
    const database = await startOnSomePort(found, port, directory?.databasePath)
    let stopping: Promise<void> | undefined
    const stop = (): Promise<void> => {
      stopping ??= database.stop().finally(() => directory?.release())
      return stopping
    }
    return { ...database, stop }
  } catch (error) {
    directory?.release()
    throw error
  }
}
