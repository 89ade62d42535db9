import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import * as z from 'zod'
import { CliError } from '../errors.ts'
import { behindLinks, homeOf, locked, replaceFile } from '../files.ts'
import type { Environment } from '../io.ts'

/** How to reach one server: its address, and one way of proving who calls. */
const Profile = z.strictObject({
  /** Absent with `cloud`: the catalog of Keystone names it. */
  server: z.url().optional(),
  /** PEM file of the authorities that vouch for it. */
  caFile: z.string().optional(),
  token: z.string().optional(),
  /** A program that prints a token, with its arguments. */
  tokenCommand: z.array(z.string()).min(1).optional(),
  /** An entry of clouds.yaml. */
  cloud: z.string().optional(),
})
export type Profile = z.infer<typeof Profile>

const Profiles = z.strictObject({ current: z.string().optional(), profiles: z.record(z.string(), Profile) })
export type Profiles = z.infer<typeof Profiles>

/** `${XDG_CONFIG_HOME:-~/.config}/fedplane/profiles.json` (XDG Base Directory Specification 0.8). */
export const profileFile = (env: Environment): string => {
  const given = env.XDG_CONFIG_HOME
  // A relative path there is invalid, and must be ignored.
  const folder = given && path.isAbsolute(given) ? given : path.join(homeOf(env), '.config')
  return path.join(folder, 'fedplane', 'profiles.json')
}

const OTHERS_MAY = 0o077

const requirePrivate = (file: string): void => {
  if (process.platform === 'win32' || (statSync(file).mode & OTHERS_MAY) === 0) return
  throw new CliError(`Other users may read ${file}, which holds tokens.`, { remedy: `chmod 600 ${file}` })
}

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CliError(`${file} can't be read.`, { remedy: `ls -l ${file}`, cause })
  }
}

/** All profiles; none where there is no file. @throws CliError */
export const readProfiles = (env: Environment): Profiles => {
  const file = profileFile(env)
  const text = read(file)
  if (text === undefined) return { profiles: {} }
  requirePrivate(file)
  try {
    return Profiles.parse(JSON.parse(text))
  } catch (cause) {
    // What is wrong may quote a token.
    throw new CliError(`${file} is not what fedplane login writes.`, {
      remedy: `Move it aside, then fedplane login.`,
      cause,
    })
  }
}

/** Changes what is kept, one program at a time. The file is for its user only, and may be a symbolic link. @throws CliError */
export const changeProfiles = (env: Environment, change: (before: Profiles) => Profiles): void => {
  const file = behindLinks(profileFile(env))
  locked(file, () => replaceFile(file, `${JSON.stringify(Profiles.parse(change(readProfiles(env))), null, 2)}\n`))
}
