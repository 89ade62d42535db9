import { styleText } from 'node:util'
import { CommanderError } from 'commander'
import { CliError, EXIT } from './errors.ts'
import type { Io } from './io.ts'
import { shown } from './output/table.ts'
import { createProgram } from './program.ts'

/** Red on a terminal, unless `NO_COLOR` is set (https://no-color.org). */
const prefix = ({ stderr, env }: Io): string =>
  stderr.isTTY && !env.NO_COLOR ? styleText('red', 'fedplane:', { validateStream: false }) : 'fedplane:'

const explain = (io: Io, error: unknown): number => {
  // The parser has written what is wrong by itself.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (io.signal.aborted && !(error instanceof CliError)) return EXIT.interrupted
  if (!(error instanceof CliError)) throw error
  io.stderr.write(`${prefix(io)} ${shown(error.message)}\n`)
  if (error.remedy !== undefined) io.stderr.write(`Try: ${error.remedy}\n`)
  return error.exitCode
}

/**
 * Runs one command line.
 *
 * @param args without the program's own name
 * @returns the exit code, of `EXIT`
 */
export const run = async (args: readonly string[], io: Io): Promise<number> => {
  try {
    await createProgram(io).parseAsync([...args], { from: 'user' })
    return EXIT.done
  } catch (error) {
    return explain(io, error)
  }
}
