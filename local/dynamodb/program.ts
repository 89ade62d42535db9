import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { DynamoDbProgramNotFound } from './errors.ts'

/** Installed with `npm ci` where there is a build for the platform (Linux, x64). */
const PACKAGED_PROGRAM = '@dynoxide/linux-x64/dynoxide'
const PROGRAM = 'dynoxide'

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const packaged = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(PACKAGED_PROGRAM)
  } catch {
    return undefined
  }
}

const onPath = (path: string): string | undefined =>
  path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, PROGRAM))
    .find(isExecutable)

export type ProgramSources = {
  /** The program of the optional npm package; undefined when it is not installed. */
  packaged: () => string | undefined
  /** The search path, as in `PATH`. */
  path: string
}

/**
 * The embedded database's program: the npm package's, else `dynoxide` on the search path.
 *
 * @throws DynamoDbProgramNotFound naming the ways to get one
 */
export const findDynamoDbProgram = (sources: ProgramSources = { packaged, path: process.env.PATH ?? '' }): string => {
  const found = sources.packaged() ?? onPath(sources.path)
  if (found !== undefined) return found
  throw new DynamoDbProgramNotFound(
    'There is no DynamoDB to use. Set FEDPLANE_DYNAMODB_ENDPOINT to the URL of a running DynamoDB or emulator, or install the ' +
      'optional npm package @dynoxide/linux-x64 (Linux on x64: npm ci --include=optional), or put the program dynoxide on PATH ' +
      '(cargo install dynoxide-rs, or a release of github.com/nubo-db/dynoxide).',
  )
}
