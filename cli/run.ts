import { styleText } from 'node:util'
import { CommanderError } from 'commander'
import { UNSHOWN } from '../functions/core/values/wording.ts'
import { CliError, EXIT } from './errors.ts'
import type { Io, Output } from './io.ts'
import { shown } from './output/table.ts'
import { createProgram } from './program.ts'

/** Red on a terminal, unless `NO_COLOR` is set (https://no-color.org). */
const prefix = ({ stderr, env }: Io): string =>
  stderr.isTTY && !env.NO_COLOR ? styleText('red', 'fedplane:', { validateStream: false }) : 'fedplane:'

/** A fault of ours, or of this machine: its place is shown on request only, since it says nothing to most. */
const unexpected = ({ stderr, env }: Io, error: unknown): CliError => {
  if (env.FEDPLANE_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`)
  const message = error instanceof Error ? error.message : String(error)
  return new CliError(`unexpected error: ${message}`, { remedy: 'FEDPLANE_DEBUG=1, which shows where it comes from' })
}

const explain = (io: Io, error: unknown): number => {
  // The parser has written what is wrong by itself.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (io.signal.aborted && !(error instanceof CliError)) return EXIT.interrupted
  const known = error instanceof CliError ? error : unexpected(io, error)
  io.stderr.write(`${prefix(io)} ${shown(known.message)}\n`)
  if (known.remedy !== undefined) io.stderr.write(`Try: ${shown(known.remedy)}\n`)
  return known.exitCode
}

/** Control characters other than those of lines and columns. */
const STEERS = new RegExp(`(?![\\n\\t])(?:${UNSHOWN.source})`, 'gu')

/** The same without what would steer a terminal, wherever it came from. What a pipe or file gets on standard output stays as it is. */
const withoutSteering = (io: Io): Io => {
  const over = (output: Output, isAlways: boolean): Output => ({
    write: (text) => output.write(isAlways || output.isTTY ? text.replaceAll(STEERS, ' ') : text),
    get isTTY() {
      return output.isTTY
    },
    get columns() {
      return output.columns
    },
  })
  return { ...io, stdout: over(io.stdout, false), stderr: over(io.stderr, true) }
}

/**
 * Runs one command line.
 *
 * @param args without the program's own name
 * @returns the exit code, of `EXIT`
 */
export const run = async (args: readonly string[], io: Io): Promise<number> => {
  try {
    await createProgram(withoutSteering(io)).parseAsync([...args], { from: 'user' })
    return EXIT.done
  } catch (error) {
    return explain(io, error)
  }
}
