import process from 'node:process'
import { onSignal } from '../on-signal.ts'
import { runDemo } from './demo.ts'
import { type DemoOptions, HELP, readDemoOptions } from './options.ts'
import { Printer } from './printer.ts'

const INTERRUPTED = 130
/** What a shell reports of a program that wrote to a pipe nobody reads any more. */
const UNREAD = 141

/** Writes what is for people until nobody reads it any more (`npm run demo | head`), and tells that once. */
const writerTo = (stream: NodeJS.WriteStream, onUnread: () => void): ((text: string) => void) => {
  let read = true
  stream.on('error', () => {
    if (read) onUnread()
    read = false
  })
  return (text) => {
    if (read) stream.write(text)
  }
}

const run = async (options: DemoOptions): Promise<number> => {
  const interrupt = new AbortController()
  let signalled = false
  onSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], {
    first: () => {
      signalled = true
      interrupt.abort(new Error('interrupted'))
    },
    again: () => process.exit(INTERRUPTED),
  })
  let unread = false
  const write = writerTo(process.stdout, () => {
    unread = true
    interrupt.abort(new Error('nobody reads the output'))
  })
  const good = await runDemo({
    options,
    assetsFolder: process.env.KUBEBUILDER_ASSETS,
    printer: new Printer(write),
    signal: interrupt.signal,
  })
  if (good) return 0
  if (unread) return UNREAD
  return signalled ? INTERRUPTED : 1
}

try {
  const options = readDemoOptions(process.argv.slice(2))
  if (options === 'help') process.stdout.write(HELP)
  // Nothing may keep the process: what was opened is closed by now.
  else process.exit(await run(options))
} catch (error) {
  process.stderr.write(`fedplane demo: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
