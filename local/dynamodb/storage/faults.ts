import { AppError } from '../../../functions/core/values/app-error.ts'

/** The file can't be written or read now: a full disk, a folder that can only be read. */
export class DatabaseUnusable extends AppError {
  override readonly name = 'DatabaseUnusable'
  readonly kind = 'unavailable'
}

/** SQLite's primary result codes (its extended ones have them in the lower byte), and what they mean for whoever runs fedplane. */
const FAULTS: Readonly<Record<number, string>> = {
  5: 'another program has locked it; stop that program',
  8: 'it, or its folder, can only be read; give its user the right to write there',
  10: 'its disk does not read or write (I/O error); check the disk, and what the system logs of it',
  11: 'it is damaged; restore the data directory from a copy',
  13: 'no space is left on its disk; make room there',
  14: 'it can not be opened any more; look whether the data directory is still there',
  26: 'it is no database any more; restore the data directory from a copy',
}

const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined

/** True for what SQLite itself throws. */
export const isSqliteFault = (error: unknown): boolean => codeOf(error) !== undefined

/** What went wrong with the file, as the end of a sentence. */
export const explainFault = (error: unknown): string =>
  FAULTS[codeOf(error) ?? 0] ?? (error instanceof Error ? error.message : String(error))

/** For callers of the API, who see no paths. */
export const databaseUnusable = (cause: unknown): DatabaseUnusable =>
  new DatabaseUnusable(
    `The database can't be used: ${explainFault(cause)}. Nothing of this request was stored; try again when that is done.`,
    { cause },
  )
