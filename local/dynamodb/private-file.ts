import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

const OTHERS = 0o077
/** File systems without modes, and files of another user: the folder's mode has to do there. */
const NOT_TO_BE_HAD = ['EPERM', 'ENOTSUP', 'ENOSYS', 'EINVAL']

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/**
 * Takes the rights of others away from a file, where it is there. It is not opened: closing it would take the locks away that this process has on
 * it (fcntl).
 */
export const tighten = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || (found.mode & OTHERS) === 0) return
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    if (!NOT_TO_BE_HAD.includes(codeOf(error))) throw error
  }
}

/** Makes a file that only its user may read and write (0600), unless it is there; see `tighten`. SQLite gives files beside a database the same mode. */
export const makePrivate = (path: string): void => {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    tighten(path)
  }
}
