import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { Command, Option } from 'commander'
import { parse, stringify } from 'yaml'
import * as z from 'zod'
import { KUBECONFIG_ROLES } from '../../functions/core/values/identity.ts'
import { writeKubeconfig } from '../../functions/kubernetes/kubeconfig/write-kubeconfig.ts'
import { ApiClient, segment } from '../api/client.ts'
import type { ClusterView, FederationView } from '../api/views.ts'
import { CliError, EXIT, usageError } from '../errors.ts'
import { homeOf, replaceFile } from '../files.ts'
import type { Environment, Io } from '../io.ts'
import { type ContextEntries, kubeconfigOf } from '../kubeconfig/local-kubeconfig.ts'
import { mergeKubeconfig } from '../kubeconfig/merge-kubeconfig.ts'
import { shown } from '../output/table.ts'
import { readProfiles } from '../profiles/profile-file.ts'
import { chooseServer, type ServerOptions } from '../profiles/server.ts'
import { connect, durationOf, withExamples, withServer } from './options.ts'

const Issued = z.object({ kubeconfig: z.string(), expires_at: z.iso.datetime({ offset: true }) })
type Issued = z.infer<typeof Issued>

/**
 * All that is taken of what a server issued, which may be hostile: an `exec` in it would run a program of its choice at the next `kubectl`, and a path would
 * read a file.
 */
const IssuedKubeconfig = z.object({
  clusters: z.tuple([
    z.object({
      cluster: z.object({
        server: z.url(),
        'certificate-authority-data': z.string().optional(),
        'tls-server-name': z.string().optional(),
      }),
    }),
  ]),
  users: z.tuple([
    z.object({
      user: z.object({
        token: z.string().optional(),
        'client-certificate-data': z.base64().optional(),
        'client-key-data': z.base64().optional(),
      }),
    }),
  ]),
})

/** The one cluster and the one user of a kubeconfig that a server issued. @throws CliError */
const entriesOf = (kubeconfig: string) => {
  try {
    const { clusters, users } = IssuedKubeconfig.parse(parse(kubeconfig))
    return { cluster: clusters[0].cluster, user: users[0].user }
  } catch (cause) {
    // What the parsers say may quote the credential.
    throw new CliError('The server issued no kubeconfig with a cluster and a user.', {
      remedy: 'fedplane whoami',
      cause,
    })
  }
}

/** What is asked of a kubeconfig; the server has defaults. */
type Wanted = { role?: string; namespace?: string; expiresIn?: number }

/** @param path of what it leads to */
const issue = async (api: ApiClient, path: string, { role, namespace, expiresIn }: Wanted): Promise<Issued> => {
  // Servers of before there were roles take no body.
  const body = role === undefined && namespace === undefined ? undefined : { role, namespace }
  const answer = await api.ask('POST', `${path}/kubeconfig`, { query: { expires_in: expiresIn }, body })
  const issued = Issued.safeParse(answer.body)
  if (issued.success) return issued.data
  throw new CliError('The server issued no kubeconfig.', { remedy: 'fedplane whoami' })
}

/** How this program is called again, by kubectl: by its whole path, since kubectl may run with another PATH. */
const ownCommand = (): string[] => [process.execPath, path.resolve(process.argv[1] ?? '')]

/** A user whose credential `fedplane credential` renews (https://kubernetes.io/docs/reference/config-api/client-authentication.v1/). */
const execUser = (uuid: string, again: readonly string[], { role, namespace }: Wanted) => {
  const [command, ...args] = ownCommand()
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command,
      args: [
        ...args,
        'credential',
        uuid,
        ...(role === undefined ? [] : ['--role', role]),
        ...(namespace === undefined ? [] : ['--namespace', namespace]),
        ...again,
      ],
      env: null,
      interactiveMode: 'Never',
      provideClusterInfo: false,
      installHint: 'npm install --global fedplane',
    },
  }
}

type KubeconfigOptions = ServerOptions &
  Wanted & { merge?: boolean; kubeconfig?: string; context?: string; exec?: boolean }

const withRole = (command: Command): Command =>
  command
    .addOption(new Option('--role <role>', 'what it may do (default: everything)').choices(KUBECONFIG_ROLES))
    .option('--namespace <name>', 'the role is for this namespace only')

const withMerge = (command: Command): Command =>
  command
    .option('--merge', 'add it to the kubeconfig that kubectl uses; nothing is overwritten')
    .option('--kubeconfig <file>', 'with --merge: add it to this file')
    .option('--context <name>', 'name of the context')

const deliver = (io: Io, options: KubeconfigOptions, name: string, entries: Omit<ContextEntries, 'name'>): void => {
  if (!options.merge) {
    io.stdout.write(stringify(parse(kubeconfigOf({ name, ...entries })), { lineWidth: 0 }))
    return
  }
  const { file, isNew } = mergeKubeconfig(io.env, options.kubeconfig, { name, ...entries })
  io.stdout.write(`context/${shown(name)} ${isNew ? 'added to' : 'is there already, in'} ${file}\n`)
  io.stderr.write(`Try: kubectl --context ${shown(name)} api-resources\n`)
}

/** `fedplane federation kubeconfig`. */
export const federationKubeconfig = (io: Io): Command =>
  withExamples(
    withMerge(withRole(withServer(new Command('kubeconfig')))),
    'fedplane federation kubeconfig fleet > fleet.kubeconfig',
    'fedplane federation kubeconfig fleet --role editor --namespace shop > shop.kubeconfig',
    'fedplane federation kubeconfig fleet --merge && kubectl --context fleet get clusters',
  )
    .description(
      "Write a kubeconfig of the federation's API server, whose credential ends after an hour, or renews itself with --exec.",
    )
    .argument('<federation>', 'name or uuid')
    .option('--exec', 'a credential that renews itself through this program; the default with --merge')
    .option('--no-exec', 'with --merge: a credential that ends')
    .option('--expires-in <duration>', 'how long the credential is valid: 10m to 24h (default: 1h)', durationOf)
    .action(async (name: string, options: KubeconfigOptions) => {
      const chosen = await chooseServer(options, io)
      const api = new ApiClient(chosen, io.signal)
      const federation = await api.get<FederationView>(`/federations/${segment(name)}`)
      const issued = await issue(api, `/federations/${segment(federation.uuid)}`, options)
      const { cluster, user } = entriesOf(issued.kubeconfig)
      const renews = options.exec ?? options.merge ?? false
      deliver(io, options, options.context ?? federation.name, {
        cluster,
        user: renews ? execUser(federation.uuid, chosen.again, options) : user,
        namespace: options.namespace,
      })
    })

/** @throws CliError naming --role for a cluster whose authority the server does not hold */
const signed = async (
  api: ApiClient,
  name: string,
  body: { cluster_uuid: string; csr: string },
): Promise<{ pem: string }> => {
  try {
    return (await api.ask<{ pem: string }>('POST', '/certificates', { body })).body
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.failed || error.remedy !== undefined) throw error
    const remedy = `fedplane cluster kubeconfig ${name} --role viewer (or editor with --namespace, or admin)`
    throw new CliError(error.message, { remedy, cause: error })
  }
}

/** `fedplane cluster kubeconfig`: a certificate of one's own, for clusters that a driver created. */
export const clusterKubeconfig = (io: Io): Command =>
  withExamples(
    withMerge(withRole(withServer(new Command('kubeconfig')))),
    'fedplane cluster kubeconfig paris > paris.kubeconfig',
    'fedplane cluster kubeconfig paris --merge',
    'fedplane cluster kubeconfig edge-1 --role viewer --expires-in 4h > edge-1.kubeconfig',
  )
    .description(
      'Write a kubeconfig: with --role for any cluster, else with a new administrator certificate, for one that was created from a template.',
    )
    .argument('<cluster>', 'name or uuid')
    .option('--expires-in <duration>', 'with --role, how long it is valid: 10m to 24h (default: 1h)', durationOf)
    .action(async (name: string, options: KubeconfigOptions) => {
      if (options.role === undefined && (options.namespace !== undefined || options.expiresIn !== undefined))
        throw usageError('--namespace and --expires-in are of a role.', '--role viewer, editor or admin')
      const api = await connect(io, options)
      const cluster = await api.get<ClusterView>(`/clusters/${segment(name)}`)
      if (options.role !== undefined) {
        const { kubeconfig } = await issue(api, `/clusters/${segment(cluster.uuid)}`, options)
        deliver(io, options, options.context ?? cluster.name, {
          ...entriesOf(kubeconfig),
          namespace: options.namespace,
        })
        return
      }
      const { certificateRequest } = await import('../kubeconfig/certificate.ts')
      if (cluster.api_address === null)
        throw new CliError(`Cluster ${name} has no API server yet.`, { remedy: `fedplane cluster show ${name}` })
      const { csrPem, keyPem } = await certificateRequest()
      const body = { cluster_uuid: cluster.uuid, csr: csrPem }
      const { pem: certificatePem } = await signed(api, name, body)
      const { pem: caPem } = await api.get<{ pem: string }>(`/certificates/${cluster.uuid}`)
      const credential = { certificatePem, keyPem }
      const text = writeKubeconfig({
        name: cluster.name,
        user: cluster.name,
        server: cluster.api_address,
        caPem,
        credential,
      })
      deliver(io, options, options.context ?? cluster.name, entriesOf(text))
    })

/** A credential is renewed this long before its end, milliseconds: kubectl's clock may be behind. */
const RENEW_BEFORE_MS = 120_000

/** What the credential depends on: who asks whom for which federation, and for which rights. */
const cacheKey = (uuid: string, options: ServerOptions & Wanted, env: Environment): string => {
  const settings = Object.entries(env).filter(([name]) => /^(?:FEDPLANE|OS)_/.test(name))
  // Another login with the same name is somebody else, perhaps.
  const profile = options.profile === undefined ? undefined : readProfiles(env).profiles[options.profile]
  const { role, namespace, osCloud, server } = options
  return JSON.stringify([uuid, options.profile, profile, osCloud, server, settings.sort(), role, namespace])
}

const cacheFile = (env: Environment, key: string): string => {
  const given = env.XDG_CACHE_HOME
  const folder = given && path.isAbsolute(given) ? given : path.join(homeOf(env), '.cache')
  return path.join(folder, 'fedplane', 'credentials', `${createHash('sha256').update(key).digest('hex')}.json`)
}

const cached = (file: string): Issued | undefined => {
  try {
    const kept = Issued.parse(JSON.parse(readFileSync(file, 'utf8')))
    return Date.parse(kept.expires_at) - Date.now() > RENEW_BEFORE_MS ? kept : undefined
  } catch {
    // Not there, or half of it: a new one is issued.
    return undefined
  }
}

/** Not kept where nothing can be written, such as in a container: the next call asks again. */
const keep = (io: Io, file: string, issued: Issued): void => {
  try {
    replaceFile(file, JSON.stringify(issued))
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    if (io.env.FEDPLANE_DEBUG) io.stderr.write(`${error.message}\n`)
  }
}

const execCredential = ({ kubeconfig, expires_at }: Issued) => {
  const { user } = entriesOf(kubeconfig)
  const decode = (field: 'client-certificate-data' | 'client-key-data'): string | undefined =>
    user[field] && Buffer.from(user[field], 'base64').toString()
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: {
      expirationTimestamp: new Date(expires_at).toISOString().replace(/\.\d+Z$/, 'Z'),
      token: user.token,
      clientCertificateData: decode('client-certificate-data'),
      clientKeyData: decode('client-key-data'),
    },
  }
}

/** `fedplane credential`: what kubectl runs for a context of `federation kubeconfig --exec`. Each issued credential serves until shortly before its end. */
export const credentialCommand = (io: Io): Command =>
  withExamples(
    withRole(withServer(new Command('credential'))),
    'fedplane credential 0198c3a0-8a2e-7c51-9c53-1f5f3c0a7e11',
  )
    .description(
      'Print a credential of a federation for kubectl (ExecCredential). kubectl calls it; see federation kubeconfig --exec.',
    )
    .argument('<federation>', 'uuid of the federation')
    .action(async (uuid: string, options: ServerOptions & Wanted) => {
      const file = cacheFile(io.env, cacheKey(uuid, options, io.env))
      const kept = cached(file)
      const issued = kept ?? (await issue(await connect(io, options), `/federations/${segment(uuid)}`, options))
      const credential = execCredential(issued)
      if (kept === undefined) keep(io, file, issued)
      io.stdout.write(`${JSON.stringify(credential)}\n`)
    })
