import process from 'node:process'
import { runDemo } from './demo.ts'
import { type DemoOptions, HELP, readDemoOptions } from './options.ts'
import { Printer } from './printer.ts'

const INTERRUPTED = 130

const run = async (options: DemoOptions): Promise<number> => {
  const interrupt = new AbortController()
  const onSignal = (): void => {
    // The first ends in good order, the second at once.
    if (interrupt.signal.aborted) process.exit(INTERRUPTED)
    interrupt.abort(new Error('interrupted'))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  const good = await runDemo({
    options,
    assetsFolder: process.env.KUBEBUILDER_ASSETS,
    printer: new Printer((text) => process.stdout.write(text)),
    signal: interrupt.signal,
  })
  if (good) return 0
  return interrupt.signal.aborted ? INTERRUPTED : 1
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
