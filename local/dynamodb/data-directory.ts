import { join } from 'node:path'
import { makeDataDirectory } from './make-directory.ts'
import { type DatabaseFile, openAlone, openDatabaseFile } from './storage/database-file.ts'

export type DataDirectory = DatabaseFile & {
  /** Closes the database and lets others use the directory. */
  release(): void
}

/**
 * Takes a data directory for this process: made when absent (0700), its files for its user only (0600). `lock.db` is what releases before this
 * database look at.
 *
 * @throws DataDirectoryInUse while another process has it; DataDirectoryUnusable
 */
export const takeDataDirectory = (directory: string): DataDirectory => {
  makeDataDirectory(directory)
  const lock = openAlone(join(directory, 'lock.db'))
  try {
    const paths = { path: join(directory, 'database.db'), former: join(directory, 'fedplane.db') }
    const file = openDatabaseFile(paths)
    return {
      ...file,
      release: () => {
        file.database.close()
        lock.close()
      },
    }
  } catch (error) {
    lock.close()
    throw error
  }
}
