import { Command } from 'commander'
import { ApiClient } from '../api/client.ts'
import type { WhoamiView } from '../api/views.ts'
import { CliError, EXIT, usageError } from '../errors.ts'
import { type Io, readStdin } from '../io.ts'
import { printOne } from '../output/format.ts'
import { description, shown } from '../output/table.ts'
import { changeProfiles, type Profile, profileFile, readProfiles } from '../profiles/profile-file.ts'
import { chooseServer, openProfile, type ServerOptions, serverUrl } from '../profiles/server.ts'
import { type OutputFlags, withExamples, withOutput, withServer } from './options.ts'

/** Who calls which server: profiles. */

type LoginOptions = { server?: string; osCloud?: string; withToken?: boolean; tokenCommand?: string[]; caFile?: string }

const tokenOf = async (io: Io): Promise<string> => {
  if (io.stdin.isTTY)
    throw usageError(
      '--with-token reads the token from standard input, and a terminal would show it.',
      'fedplane login --with-token < token.txt',
    )
  const token = (await readStdin(io)).trim()
  if (token === '') throw usageError('There is no token on standard input.', 'fedplane login --with-token < token.txt')
  return token
}

const credentialOf = async (io: Io, { withToken, tokenCommand, osCloud }: LoginOptions): Promise<Partial<Profile>> => {
  const ways = [withToken, tokenCommand, osCloud].filter((way) => way !== undefined)
  if (ways.length > 1)
    throw usageError('--with-token, --token-command and --os-cloud exclude each other.', 'fedplane login --help')
  if (withToken) return { token: await tokenOf(io) }
  return { ...(tokenCommand ? { tokenCommand } : {}), ...(osCloud ? { cloud: osCloud } : {}) }
}

/** Also no name that objects have by themselves. */
const PROFILE_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/

const login = (io: Io) =>
  withExamples(
    new Command('login'),
    'fedplane login prod --server https://fedplane.example.org --with-token < token.txt',
    'fedplane login prod --server https://fedplane.example.org --token-command openstack token issue -f value -c id',
    'fedplane login lab --os-cloud lab',
  )
    .description(
      'Keep a server and a way to prove who calls as a profile, and make it the current one. Tries it first.',
    )
    .argument('[profile]', 'name of the profile', 'default')
    .option('--server <url>', 'address of the server (default: with --os-cloud the catalog has it, else this machine)')
    .option('--with-token', 'read a token from standard input')
    .option('--token-command <program...>', 'a program that prints a token, with its arguments; comes last')
    .option('--os-cloud <name>', 'use this entry of clouds.yaml')
    .option('--ca-file <file>', 'PEM file of the authority that vouches for the server')
    .action(async (name: string, options: LoginOptions) => {
      if (!PROFILE_NAME.test(name))
        throw usageError(
          `${JSON.stringify(name)} is no name of a profile: letters, digits, ".", "-" and "_", a letter or digit first.`,
          'fedplane login prod --server URL',
        )
      const profile: Profile = {
        ...(options.server ? { server: serverUrl(options.server) } : {}),
        ...(options.caFile ? { caFile: options.caFile } : {}),
        ...(await credentialOf(io, options)),
      }
      // What is kept must be readable before the server is asked.
      readProfiles(io.env)
      const server = await openProfile(name, profile, {
        env: io.env,
        url: undefined,
        signal: io.signal,
        stderr: io.stderr,
      })
      await new ApiClient(server, io.signal).get('/clusters', { limit: 1 })
      changeProfiles(io.env, ({ profiles }) => ({ current: name, profiles: { ...profiles, [name]: profile } }))
      io.stdout.write(`profile/${name} uses ${server.url}\n`)
    })

const logout = (io: Io) =>
  withExamples(new Command('logout'), 'fedplane logout', 'fedplane logout prod')
    .description('Remove a profile with its token (default: the current one).')
    .argument('[profile]', 'name of the profile')
    .action((wanted: string | undefined) => {
      const { current, profiles } = readProfiles(io.env)
      const name = wanted ?? current
      if (name === undefined || !Object.hasOwn(profiles, name)) {
        throw new CliError(name === undefined ? 'There is no current profile.' : `There is no profile ${name}.`, {
          exitCode: EXIT.notFound,
          remedy: `cat ${profileFile(io.env)}`,
        })
      }
      changeProfiles(io.env, ({ current: still, profiles: { [name]: _, ...others } }) => ({
        profiles: others,
        ...(still === name || still === undefined ? {} : { current: still }),
      }))
      io.stdout.write(`profile/${name} removed\n`)
    })

type Identity = {
  server: string
  from: string
  user: string
  project: string
  roles: string[]
  /** Which authority vouched for the caller. */
  source: string
}

const describeIdentity = ({ server, from, user, project, roles, source }: Identity): string =>
  description([
    ['Server', server],
    ['From', from],
    ['User', user],
    ['Project', project],
    ['Roles', roles.join(', ')],
    ['Source', source],
  ])

const whoami = (io: Io) =>
  withExamples(withOutput(withServer(new Command('whoami'))), 'fedplane whoami', 'fedplane whoami --profile prod')
    .description('Say which server commands talk to, and as whom. Fails when the server takes no request of them.')
    .action(async (options: ServerOptions & OutputFlags) => {
      const server = await chooseServer(options, io)
      const { user_id, project_id, roles, source } = await new ApiClient(server, io.signal).get<WhoamiView>('/whoami')
      // Keystone has names for the server's ids.
      const issued = await server.identity?.()
      const item: Identity = {
        server: server.url,
        from: shown(server.from),
        user: issued?.user || user_id,
        project: issued?.project ?? project_id,
        roles,
        source,
      }
      const kind = { name: 'server', list: 'servers', columns: [], nameOf: (identity: Identity) => identity.server }
      await printOne(io, options.output, { kind, item, describe: describeIdentity })
    })

/** `fedplane login`, `logout` and `whoami`. */
export const profileCommands = (io: Io): Command[] => [login(io), logout(io), whoami(io)]
