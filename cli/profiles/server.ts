import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Server } from '../api/client.ts'
import { CliError, EXIT, usageError } from '../errors.ts'
import type { Environment, Io } from '../io.ts'
import { type Cloud, cloudOfEnvironment, readCloud } from './clouds.ts'
import { caOf, type Issued, issueToken, tokensUrl } from './keystone.ts'
import { type Profile, readProfiles } from './profile-file.ts'

/** `npm start` on this machine. */
const DEFAULT_SERVER = 'http://127.0.0.1:9511'

/** Options of every command that talks to a server. */
export type ServerOptions = { profile?: string; server?: string; osCloud?: string }

/** A server with the words for how it was chosen. */
type OpenedServer = Server & {
  /** `profile prod`, `cloud mycloud`, `the default`. */
  from: string
  /** Undefined: no Keystone is asked. */
  identity?: (() => Promise<Issued>) | undefined
}
export type ChosenServer = OpenedServer & {
  /** Options that choose it again, whatever the current profile is by then. */
  again: string[]
}

const TOKEN_COMMAND_MS = 60_000
const run = promisify(execFile)

/** The first line that a helper program prints. Its output is never shown. @throws CliError */
const runTokenCommand = async ([program = '', ...args]: readonly string[], signal: AbortSignal): Promise<string> => {
  try {
    const { stdout } = await run(program, args, { timeout: TOKEN_COMMAND_MS, encoding: 'utf8', signal })
    const [token = ''] = stdout.trim().split('\n')
    if (token !== '') return token
  } catch (cause) {
    signal.throwIfAborted()
    throw new CliError(`The token command ${program} failed.`, {
      exitCode: EXIT.denied,
      remedy: [program, ...args].join(' '),
      cause,
    })
  }
  throw new CliError(`The token command ${program} printed nothing.`, { exitCode: EXIT.denied })
}

const withoutVersion = (url: string): string => url.replace(/\/+$/, '').replace(/\/v1$/, '')

/** An address as people write it. @throws CliError */
export const serverUrl = (text: string): string => {
  const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined
  // They would be shown in errors, and kept in kubeconfigs.
  if (url?.username || url?.password || url?.search || url?.hash)
    throw usageError(
      'The address of the server has a user, a password, a query or a fragment.',
      `--server ${url.origin}; fedplane login --with-token takes the credential`,
    )
  if (url) return withoutVersion(text)
  throw usageError(`${JSON.stringify(text)} is no address of a server.`, `--server ${DEFAULT_SERVER}`)
}

/** What the choice of a server needs of where a command runs. */
type Surroundings = Pick<Io, 'env' | 'signal' | 'stderr'>

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/

/**
 * Says that a credential is about to go over a network as plain text. No refusal: inside of many a cloud Keystone itself has no TLS. With
 * `FEDPLANE_ALLOW_HTTP` it is known, and not said.
 */
const warnOfHttp = ({ env, stderr }: Surroundings, what: string, address: string): void => {
  const { protocol, hostname, origin } = new URL(address)
  if (protocol !== 'http:' || LOOPBACK.test(hostname) || env.FEDPLANE_ALLOW_HTTP === 'true') return
  stderr.write(
    `fedplane: warning: ${what} goes to ${origin} unencrypted, and whoever reads the network can use it.\n` +
      'Try: https://, or FEDPLANE_ALLOW_HTTP=true where that network is safe\n',
  )
}

/** Headers with the token, which is fetched at the first request. */
const withToken = (around: Surroundings, url: string, token: () => Promise<string>): Server['headers'] => {
  const warned = once(async () => warnOfHttp(around, 'the token', url))
  return async () => {
    const headers = bearer(await token())
    await warned()
    return headers
  }
}

const NO_HEADERS: Server['headers'] = async () => ({})

/** Called once, however many requests there are. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** @throws CliError for what no header can carry, without saying what it is */
const bearer = (token: string) => {
  if (/^[\x21-\x7e]+$/.test(token)) return { 'x-auth-token': token }
  throw new CliError('The token has spaces, line breaks or other characters that no token has.', {
    exitCode: EXIT.denied,
    remedy: 'fedplane login --with-token < token.txt, with the token alone in that file',
  })
}

/** Kinds that need no Keystone: keystoneauth's `none` and `admin_token`. */
const withoutKeystone = (cloud: Cloud, from: string, around: Around): OpenedServer | undefined => {
  const { auth_type: kind, auth } = cloud
  if (kind !== 'none' && kind !== 'admin_token') return undefined
  const { token } = auth
  const endpoint = around.url ?? cloud.container_infra_endpoint_override ?? auth.endpoint
  if (!endpoint) throw usageError(`The ${from} has no endpoint.`, 'endpoint in its auth, or --server URL')
  const url = serverUrl(endpoint)
  const headers = token ? withToken(around, url, async () => token) : NO_HEADERS
  return { url, from, caPem: caOf(cloud), headers }
}

const ofCloud = async (cloud: Cloud, from: string, around: Around): Promise<OpenedServer> => {
  const open = withoutKeystone(cloud, from, around)
  if (open) return open
  const identity = once(() => {
    const url = tokensUrl(cloud)
    warnOfHttp(around, 'the credential of the cloud', url.href)
    return issueToken(cloud, url, around.signal)
  })
  const endpoint = around.url ?? cloud.container_infra_endpoint_override ?? (await identity()).endpoint
  if (!endpoint) {
    throw new CliError(`The catalog of the ${from} has no container-infra endpoint.`, {
      remedy: '--server URL, or openstack catalog list',
    })
  }
  const url = serverUrl(endpoint)
  const headers = withToken(around, url, async () => (await identity()).token)
  return { url, from, caPem: caOf(cloud), identity, headers }
}

const readCa = (file: string | undefined): string | undefined => {
  if (!file) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CliError(`The CA file ${file} can't be read.`, { cause })
  }
}

/** `url`: an address that replaces the one of a profile or cloud. */
type Around = Surroundings & { url: string | undefined }

/** The server of a profile, which need not be kept yet. @throws CliError */
export const openProfile = (name: string, profile: Profile, options: Around): Promise<OpenedServer> | OpenedServer => {
  const from = `profile ${name}`
  const given = options.url ?? profile.server
  if (profile.cloud !== undefined)
    return ofCloud(readCloud(options.env, profile.cloud), `${from}, cloud ${profile.cloud}`, { ...options, url: given })
  const { token, tokenCommand } = profile
  const fetched = tokenCommand && once(() => runTokenCommand(tokenCommand, options.signal))
  const url = serverUrl(given ?? DEFAULT_SERVER)
  const tokenOf = token ? async () => token : fetched
  const headers = tokenOf ? withToken(options, url, tokenOf) : NO_HEADERS
  return { url, from, caPem: readCa(profile.caFile), headers }
}

/** A server that needs no profile: with the token of `FEDPLANE_TOKEN`, or without any. */
const unnamed = (around: Around): OpenedServer => {
  const { FEDPLANE_TOKEN: token, FEDPLANE_CA_FILE: caFile } = around.env
  const from = token ? 'FEDPLANE_TOKEN' : around.url ? 'the address given' : 'the default'
  const url = serverUrl(around.url ?? DEFAULT_SERVER)
  const headers = token ? withToken(around, url, async () => token) : NO_HEADERS
  return { url, from, caPem: readCa(caFile), headers }
}

/** A cloud, by its name or from `OS_*`. */
const cloudFor = (name: string | undefined, env: Environment): { cloud: Cloud; from: string } | undefined => {
  if (name) return { cloud: readCloud(env, name), from: `cloud ${name}` }
  const cloud = cloudOfEnvironment(env)
  return cloud && { cloud, from: 'cloud of OS_AUTH_URL' }
}

/** Which of the ways is meant, without opening it. */
const wayOf = (
  options: ServerOptions,
  env: Environment,
): { profile?: string | undefined; cloud?: string | undefined } => {
  if (options.profile) return { profile: options.profile }
  if (options.osCloud) return { cloud: options.osCloud }
  if (env.FEDPLANE_PROFILE) return { profile: env.FEDPLANE_PROFILE }
  if (env.FEDPLANE_TOKEN) return {}
  if (env.OS_CLOUD) return { cloud: env.OS_CLOUD }
  return cloudOfEnvironment(env) ? {} : { profile: readProfiles(env).current }
}

const open = (way: ReturnType<typeof wayOf>, around: Around): Promise<OpenedServer> | OpenedServer => {
  const { env } = around
  if (way.profile !== undefined) return profileNamed(way.profile, around)
  const found = env.FEDPLANE_TOKEN && !way.cloud ? undefined : cloudFor(way.cloud, env)
  return found ? ofCloud(found.cloud, found.from, around) : unnamed(around)
}

/**
 * Which server a command talks to, and as whom. The first of these that is there: `--profile`, `--os-cloud`, `FEDPLANE_PROFILE`, `FEDPLANE_TOKEN`, `OS_CLOUD`,
 * `OS_AUTH_URL`, the current profile, this machine's own server. `--server` and `FEDPLANE_SERVER` replace the address only.
 *
 * @throws CliError
 */
export const chooseServer = async (options: ServerOptions, io: Surroundings): Promise<ChosenServer> => {
  const url = options.server ?? io.env.FEDPLANE_SERVER
  const way = wayOf(options, io.env)
  const opened = await open(way, { env: io.env, signal: io.signal, stderr: io.stderr, url })
  const { profile, cloud } = way
  const named = profile ? ['--profile', profile] : cloud ? ['--os-cloud', cloud] : ['--server', opened.url]
  return { ...opened, again: [...named, ...(url && (profile || cloud) ? ['--server', url] : [])] }
}

const profileNamed = (name: string, around: Around) => {
  const { profiles } = readProfiles(around.env)
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return openProfile(name, profile, around)
  const known = Object.keys(profiles)
  throw usageError(
    `There is no profile ${name}.`,
    known.length === 0
      ? `fedplane login ${name} --server URL`
      : `One of ${known.join(', ')}; fedplane login ${name} --server URL makes one.`,
  )
}
