import process from 'node:process'
import { CliError, EXIT, usageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { shown } from './table.ts'

/**
 * Says what will happen and asks. `isSure` is `--yes`.
 *
 * @throws CliError when the answer is no, or when there is no terminal to ask at
 */
export const confirmOrEnd = async (io: Io, what: string, { yes }: { yes?: boolean | undefined }): Promise<void> => {
  if (yes) return
  if (!(io.stdin.isTTY && io.stderr.isTTY)) {
    throw usageError(`${what} Nobody can be asked here, so nothing was done.`, 'The same command with --yes.')
  }
  const { default: confirm } = await import('@inquirer/confirm')
  const isSure = await confirm(
    { message: `${shown(what)} Go on?`, default: false },
    { output: process.stderr, signal: io.signal },
  ).catch(() => false)
  if (!isSure) throw new CliError('Nothing was done.', { exitCode: EXIT.failed })
}
