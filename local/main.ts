import process from 'node:process'
import { isAppError } from '../functions/core/values/app-error.ts'
import manifest from '../package.json' with { type: 'json' }
import { createLogger } from './logger.ts'
import { onSignal } from './on-signal.ts'
import { helpOf, type LocalOptions, readOptions } from './options.ts'
import type { Fedplane } from './server.ts'

/** By then the process ends, whatever still runs: SIGTERM and Ctrl-C take 3 s at most. */
const EXIT_DEADLINE_MS = 2_500
/** Between looks whether npm is still there, milliseconds. */
const PARENT_POLL_MS = 500

/** How this program was started: `fedplane server` names itself. */
const START = process.argv[1] === 'fedplane server' ? 'fedplane server' : 'npm start --'

const log = createLogger({ level: 'warn' })

/** What went wrong, for somebody at a terminal: our own errors say it in a sentence, of others the stack is needed. */
const explain = (error: unknown): string => {
  if (isAppError(error)) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const fail = (error: unknown): never => {
  process.stderr.write(`fedplane: ${explain(error)}\n`)
  process.exit(1)
}

const end = async (running: Promise<Fedplane>): Promise<never> => {
  setTimeout(() => process.exit(1), EXIT_DEADLINE_MS)
  try {
    await (await running).close()
  } catch (error) {
    log.error('not ended in good order', { error })
    process.exit(1)
  }
  process.exit(0)
}

/**
 * npm passes SIGTERM on to us, but nobody tells us when npm itself is killed: then we would stay as an orphan that nobody knows of.
 * Started in another way, we may outlive whoever started us.
 */
const endWithNpm = (running: Promise<Fedplane>): void => {
  if (process.env.npm_lifecycle_event === undefined) return
  const npm = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(watch)
    void end(running)
  }, PARENT_POLL_MS)
  watch.unref()
}

const run = async (options: LocalOptions): Promise<void> => {
  // Imported only now: everything hangs on it, and --help or a wrong option need nothing of it.
  const { startFedplane } = await import('./server.ts')
  const running = startFedplane({ ...options, log: createLogger({ level: options.logLevel }) })
  onSignal(['SIGTERM', 'SIGINT'], { first: () => void end(running), again: () => process.exit(1) })
  endWithNpm(running)
  const { url } = await running
  process.stdout.write(`fedplane listening on ${url}/v1\n`)
}

// Whoever reads what we say may go (`npm start | head -1`, a log reader that ends): the server is needed all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

try {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === 'help') process.stdout.write(helpOf(START))
  else if (options === 'version') process.stdout.write(`fedplane ${manifest.version}\n`)
  else await run(options)
} catch (error) {
  fail(error)
}
