import process from 'node:process'
import { onSignal } from '../local/on-signal.ts'
import { EXIT } from './errors.ts'
import { run } from './run.ts'

const interrupted = new AbortController()
onSignal(['SIGINT'], { first: () => interrupted.abort(), again: () => process.exit(EXIT.interrupted) })
// `fedplane … | head -1`: who read us needs no more.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0)
  process.stderr.write(`fedplane: Standard output can't be written (${code}).\n`)
  process.exit(1)
})
process.stderr.on('error', () => undefined)

process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  signal: interrupted.signal,
})
