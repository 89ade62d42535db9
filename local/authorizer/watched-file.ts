import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import process from 'node:process'
import type { Logger } from '../../functions/core/ports.ts'
import { type AppError, type AppErrorOptions, isAppError } from '../../functions/core/values/app-error.ts'

const OTHERS = 0o077

export type WatchedFileOptions<T> = {
  /** For messages: `token file`. */
  what: string
  /** Setting that names it. */
  setting: string
  /** What another user could do who owns it: `who could give out tokens`. */
  danger: string
  invalid(message: string, options?: AppErrorOptions): AppError
  /** @throws what `invalid` makes */
  parse(text: string): T
  log: Logger
}

/** Whoever can read the file has what it gives, and whoever can write it decides about it. */
const assertPrivate = <T>(
  file: string,
  { mode, uid }: { mode: number; uid: number },
  { what, danger, invalid }: WatchedFileOptions<T>,
): void => {
  // Where there are no users there are no modes.
  const user = process.getuid?.()
  if (user === undefined) return
  if (uid !== user) {
    throw invalid(
      `The ${what} ${file} belongs to another user (uid ${uid}), ${danger}. Run chown ${user} on it, or a copy of it.`,
    )
  }
  if ((mode & OTHERS) === 0) return
  throw invalid(`The ${what} ${file} is open to other users (mode ${(mode & 0o777).toString(8)}). Run chmod 600 on it.`)
}

/** Owner, mode and text are of one and the same open file. */
const readPrivate = <T>(file: string, options: WatchedFileOptions<T>): string => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    assertPrivate(file, fstatSync(descriptor), options)
    return readFileSync(descriptor, 'utf8')
  } catch (cause) {
    if (isAppError(cause)) throw cause
    const code = (cause as NodeJS.ErrnoException).code ?? 'unreadable'
    throw options.invalid(`The ${options.what} ${file} can't be read (${code}). Correct ${options.setting}.`, { cause })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Changes when the file is written, replaced or opened to others; undefined when it is gone. */
const stampOf = (file: string): string | undefined => {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.ino}-${stat.mtimeNs}-${stat.size}-${stat.mode}-${stat.uid}`
}

/**
 * What a file of the operator's says, read again when it changes. A change that can't be read, or a file that others can read since, is logged, and
 * what it said before stays valid.
 *
 * @throws what `invalid` makes when the file is bad, or not its user's alone, at the start
 */
export const watchedFile = <T>(file: string, options: WatchedFileOptions<T>): (() => T) => {
  const load = (): T => options.parse(readPrivate(file, options))
  let stamp = stampOf(file)
  let value = load()
  return () => {
    const now = stampOf(file)
    if (now !== stamp) {
      stamp = now
      try {
        value = load()
      } catch (error) {
        options.log.error(`${options.what} not read again; what it said before stays valid`, { error })
      }
    }
    return value
  }
}
