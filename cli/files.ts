import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import path from 'node:path'
import { CliError } from './errors.ts'
import type { Environment } from './io.ts'

/** Files of the person's own that several programs read and write. */

/** Also where `HOME` is empty, which makes a relative path of what Node says. */
export const homeOf = (env: Environment): string => env.HOME || homedir() || userInfo().homedir

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? 'no code'

const unwritable = (file: string, cause: unknown): CliError =>
  new CliError(`${file} can't be written (${codeOf(cause)}).`, { remedy: `ls -ld ${path.dirname(file)}`, cause })

/** The file behind symbolic links, which is the one to replace. One that does not exist is its own. */
export const behindLinks = (file: string): string => (existsSync(file) ? realpathSync(file) : file)

/** The lock that kubectl takes too (`<file>.lock`, client-go's `lockFile`). @throws CliError while somebody has it */
export const locked = <T>(file: string, act: () => T): T => {
  const lock = `${file}.lock`
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST' || !existsSync(lock)) throw unwritable(file, cause)
    throw new CliError(`${file} is being written by another program.`, {
      remedy: `The same again; rm ${lock} if nothing runs.`,
      cause,
    })
  }
  try {
    return act()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Replaces a file as a whole, so that nobody reads half of it. @throws CliError */
export const replaceFile = (file: string, text: string, mode = 0o600): void => {
  const half = `${file}.${randomUUID()}`
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(half, text, { mode, flag: 'wx' })
    renameSync(half, file)
  } catch (cause) {
    rmSync(half, { force: true })
    throw unwritable(file, cause)
  }
}
