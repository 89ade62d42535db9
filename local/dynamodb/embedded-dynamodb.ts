import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { openDocumentClient } from '../../functions/store/dynamodb/document-client.ts'
import { takeDataDirectory } from './data-directory.ts'
import { EmbeddedDynamoDbFailed } from './errors.ts'
import { freePort, isPortFree } from './free-port.ts'
import { type GuardedChild, startGuarded } from './guarded-child.ts'
import { indexStream } from './index-stream.ts'
import { KeepRunning } from './keep-running.ts'
import { findDynamoDbProgram } from './program.ts'

/** The region that local clients sign for; nothing depends on it. */
export const LOCAL_REGION = 'local'

export type EmbeddedDynamoDbOptions = {
  /** Undefined: in memory only, gone with the database's process. */
  dataDir: string | undefined
  /** Default: a free one. */
  port?: number
  /** Default: `FEDPLANE_DYNAMODB_ENDPOINT`. When given, nothing is started. */
  endpoint?: string | undefined
  /** Default: the npm package's, else `dynoxide` on PATH. */
  program?: string
  /** Told, with how it ended, when a database with a data directory ended unasked, was started again at the same endpoint, and answers. */
  onRestart?: (end: string) => void
  /** Told when its stream could not be indexed: it works, and gets slower with each change. */
  onSlow?: (error: unknown) => void
  /** Told when starting it again is given up. */
  onLost?: (error: unknown) => void
}

export type EmbeddedDynamoDb = {
  endpoint: string
  /** Of the database's process now; undefined when it is not ours. */
  readonly pid: number | undefined
  /** Ends it. Can be called twice. */
  stop(): Promise<void>
}

/** How long the database may take to answer first, milliseconds. Usual: 30; a busy machine: 1,000. */
const READY_DEADLINE_MS = 15_000
/** The same after a restart, when users wait. */
const READY_AGAIN_DEADLINE_MS = 10_000
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
const untilAnswers = async (endpoint: string, over: AbortSignal, patienceMs: number): Promise<void> => {
  const deadline = Date.now() + patienceMs
  for (let wait = FIRST_POLL_MS; Date.now() < deadline && !over.aborted; wait = Math.min(wait * 2, 200)) {
    await pause(wait)
    if (await answers(endpoint, over)) return
  }
  if (over.aborted) return
  throw new EmbeddedDynamoDbFailed(`The embedded DynamoDB did not answer within ${patienceMs / 1000} seconds.`)
}

/** Waits until the database answers. @throws EmbeddedDynamoDbFailed when it ends before, or does not answer in time */
const untilReady = async (child: GuardedChild, endpoint: string): Promise<void> => {
  const over = new AbortController()
  const ended = child.ended.then((end) => {
    throw new EmbeddedDynamoDbFailed(`The embedded DynamoDB ended at once (${end}).`)
  })
  try {
    await Promise.race([untilAnswers(endpoint, over.signal, READY_DEADLINE_MS), ended])
  } finally {
    over.abort()
  }
}

/** The database's process, with what starts it once more on the same port and file. */
type Started = { endpoint: string; child: GuardedChild; again: () => Promise<GuardedChild> }

const startOn = async (program: string, port: number, databasePath: string | undefined): Promise<Started> => {
  const endpoint = `http://127.0.0.1:${port}`
  const args = ['serve', '--host', '127.0.0.1', '--port', String(port)]
  if (databasePath !== undefined) args.push('--db-path', databasePath)
  const again = (): Promise<GuardedChild> => startGuarded(program, args)
  const child = await again()
  try {
    await untilReady(child, endpoint)
  } catch (error) {
    await child.stop()
    throw error
  }
  return { endpoint, child, again }
}

/** On a given port once; else on free ones, since another program may take a port between our look and the bind. */
const startOnSomePort = async (
  program: string,
  port: number | undefined,
  databasePath: string | undefined,
): Promise<Started> => {
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

const tryToIndex = (databasePath: string, onSlow: (error: unknown) => void): void => {
  try {
    indexStream(databasePath)
  } catch (error) {
    onSlow(error)
  }
}

/**
 * A DynamoDB for this process: the one at `endpoint`, or an embedded one on loopback that ends with this process even when that
 * is killed. Returns when it answers. One with a data directory that ends unasked is started again; the lock on the directory is
 * held meanwhile.
 *
 * @throws DynamoDbProgramNotFound, DataDirectoryInUse, DataDirectoryUnusable, EmbeddedDynamoDbFailed
 */
export const startEmbeddedDynamoDb = async ({
  dataDir,
  port,
  endpoint = process.env.FEDPLANE_DYNAMODB_ENDPOINT,
  program,
  onRestart = () => undefined,
  onSlow = () => undefined,
  onLost = () => undefined,
}: EmbeddedDynamoDbOptions): Promise<EmbeddedDynamoDb> => {
  if (endpoint !== undefined && endpoint !== '') return { endpoint, pid: undefined, stop: async () => undefined }
  const found = program ?? findDynamoDbProgram()
  const directory = dataDir === undefined ? undefined : takeDataDirectory(dataDir)
  try {
    const started = await startOnSomePort(found, port, directory?.databasePath)
    if (directory !== undefined) tryToIndex(directory.databasePath, onSlow)
    const untilAnswersAgain = (over: AbortSignal) => untilAnswers(started.endpoint, over, READY_AGAIN_DEADLINE_MS)
    const parts = { again: started.again, untilAnswers: untilAnswersAgain, onRestart, onLost }
    const database = directory ? new KeepRunning(started.child, parts) : started.child
    let stopping: Promise<void> | undefined
    const stop = (): Promise<void> => {
      stopping ??= database.stop().finally(() => directory?.release())
      return stopping
    }
    return {
      endpoint: started.endpoint,
      get pid() {
        return database.pid
      },
      stop,
    }
  } catch (error) {
    directory?.release()
    throw error
  }
}
