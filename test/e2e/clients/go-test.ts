import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment } from './python-environment.ts'

const FOLDER = path.join(import.meta.dirname, 'gophercloud')
const NO_GO =
  'The end-to-end tests drive gophercloud, which needs Go 1.25 or newer as `go` on PATH, and a module proxy that it can reach.'

/** A line of `go test -json`. */
export type GoEvent = { Action: string; Test?: string; Output?: string }

/** What `go test -json` prints of the tests of a folder of `gophercloud/`, whether tests failed or not. @throws when it could not run */
export const goTest = async (folder: string, environment: Record<string, string>): Promise<GoEvent[]> => {
  const options = { cwd: FOLDER, env: { ...cleanEnvironment(), ...environment }, maxBuffer: 64 << 20 }
  const { stdout, stderr } = await promisify(execFile)('go', ['test', '-count=1', '-json', folder], options).catch(
    (cause: Error & { stdout?: string; stderr?: string }) => {
      if (cause.stdout) return { stdout: cause.stdout, stderr: cause.stderr ?? '' }
      throw new Error(`${NO_GO}\n${cause.stderr || cause.message}`, { cause })
    },
  )
  const events = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as GoEvent)
  if (events.every(({ Test }) => Test === undefined)) throw new Error(`${NO_GO}\n${stdout}${stderr}`)
  return events
}
