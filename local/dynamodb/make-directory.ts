import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DataDirectoryUnusable } from './errors.ts'

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error'

/** What system errors mean for a folder that is to be made, as the end of a sentence. */
const FAULTS: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'its path goes through a file',
  EACCES: 'this user may not make it or look into it',
  EPERM: 'the system does not allow it there',
  EROFS: 'its file system can only be read',
  ENOSPC: 'no space is left there',
  ENOENT: 'no folder can be made there',
  ELOOP: 'its path has a link to itself',
  ENAMETOOLONG: 'its path is too long',
}

/** @param fault the end of a sentence: `it is a file` */
export const unusable = (directory: string, fault: string, cause: unknown): DataDirectoryUnusable =>
  new DataDirectoryUnusable(
    `The data directory ${directory} can't be used: ${fault}. Choose a folder that you can write to with --data-dir or ` +
      'FEDPLANE_DATA_DIR.',
    { cause, details: { directory } },
  )

const makeOne = (directory: string): void => {
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !statSync(directory).isDirectory()) throw error
  }
}

/** Parent by parent: `mkdir` with `recursive` never ends under /proc, where a folder can't be made though its parent is there. */
const makeWithParents = (directory: string): void => {
  try {
    makeOne(directory)
  } catch (error) {
    const parent = dirname(directory)
    if (codeOf(error) !== 'ENOENT' || parent === directory) throw error
    makeWithParents(parent)
    makeOne(directory)
  }
}

/** Whoever may write into the folder lays a database of their own there, whatever the modes of its files are; a link is followed. */
const WRITABLE_BY_OTHERS = 0o022

/** @throws DataDirectoryUnusable for a folder of another user, or that others may write to */
const requireOwn = (directory: string): void => {
  const { uid, mode } = statSync(directory)
  if (uid !== process.getuid?.()) throw unusable(directory, 'it belongs to another user', undefined)
  if ((mode & WRITABLE_BY_OTHERS) === 0) return
  throw unusable(directory, `other users may write to it (take that away with "chmod go-w ${directory}")`, undefined)
}

/**
 * Makes a data directory, and what leads to it, unless it is there; only its user gets into what was made (0700).
 *
 * @throws DataDirectoryUnusable
 */
export const makeDataDirectory = (directory: string): void => {
  try {
    makeWithParents(directory)
  } catch (error) {
    throw unusable(directory, FAULTS[codeOf(error)] ?? codeOf(error), error)
  }
  // Where there are no users there is nothing to compare.
  if (process.getuid !== undefined) requireOwn(directory)
}
