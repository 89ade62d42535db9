import { Command, Option } from 'commander'
import { type ApiClient, segment } from '../api/client.ts'
import type { ClusterView, DryRunView, FederationView } from '../api/views.ts'
import { waitFor } from '../api/wait.ts'
import { CliError, usageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { confirmOrEnd } from '../output/confirm.ts'
import { shown } from '../output/table.ts'
import {
  type ChangeOptions,
  type HealthPolicyFlags,
  healthPolicyPatch,
  type Patch,
  patch,
  pathOf,
  printDryRun,
  type RemovalFlags,
  type SelectorFlags,
  selectorPatch,
  watchOf,
  withHealthPolicy,
  withRemoval,
} from './federation-requests.ts'
import { federationSnapshot, isSettled, NOT_JOINED, requireMembers } from './federation-view.ts'
import { membershipVerbs } from './membership.ts'
import {
  accepted,
  collect,
  collectPairs,
  connect,
  type WaitFlags,
  withExamples,
  withServer,
  withWait,
  withYes,
} from './options.ts'

/** What a new federation is asked for. */
export type FederationRequest = {
  name: string
  hostcluster_id?: string
  /** In place of it: the host cluster is created, too. */
  host?: { cluster_template_id: string; node_count?: number | undefined; keep?: boolean | undefined }
  member_ids: string[]
  /** Clusters that become members by themselves. */
  member_selector?: { labels: string } | undefined
  /** What becomes of members that are unhealthy. */
  on_unhealthy?: string | undefined
  after_seconds?: string | undefined
  on_healthy?: string | undefined
  driver?: string | undefined
  properties: Record<string, string>
}

/** Creates a federation, once however often it is asked for, and waits for it and its members. @throws CliError */
export const createFederation = async (
  io: Io,
  api: ApiClient,
  request: FederationRequest,
  options: WaitFlags,
): Promise<void> => {
  const { name } = request
  const uuid = await api.createOnce('/federations', request)
  if (!options.wait) return accepted(io, `federation/${name} is being created`, watchOf(name))
  await untilCreated(io, api, { uuid, name, line: `federation/${name} created\n` }, options)
}

/** Waits for a federation, says so, and requires its members. @throws CliError when one of them failed */
export const untilCreated = async (
  io: Io,
  api: ApiClient,
  { uuid, name, line = '' }: { uuid: string; name: string; line?: string },
  options: WaitFlags,
): Promise<void> => {
  const view = await waitFor<FederationView>(
    {
      path: `/federations/${uuid}`,
      isDone: (seen) => isSettled(seen, name),
      snapshot: federationSnapshot,
      again: watchOf(name),
    },
    { io, api, timeoutSeconds: options.timeout },
  )
  io.stdout.write(line)
  if (view === undefined) return
  requireMembers(view, {
    ids: new Set(view.members.map(({ cluster_id }) => cluster_id)),
    isFailed: (state) => NOT_JOINED.has(state),
    remedy: `fedplane federation join ${name} CLUSTER, once that is repaired`,
  })
}

const create = (io: Io) =>
  withExamples(
    withHealthPolicy(withWait(withServer(new Command('create')))),
    'fedplane federation create fleet --host hub --member edge-1 --member edge-2',
    'fedplane federation create fleet --host hub --driver clusterprofile@1 --property member-role=edit',
    'fedplane federation create fleet --host hub --member edge-1 --dry-run',
    "fedplane federation create fleet --host hub --selector 'env=prod,tier in (edge,core)'",
    'fedplane federation create fleet --host hub --on-unhealthy cordon --after-seconds 120',
  )
    .description('Create a federation on a host cluster, and join members.')
    .argument('<name>', 'name of the federation')
    .requiredOption('--host <cluster>', 'name or uuid of the host cluster')
    .addOption(new Option('--member <cluster>', 'name or uuid of a member; may be repeated').argParser(collect))
    .option('--selector <labels>', 'clusters that become members by themselves, as kubectl selects by labels')
    .option('--driver <id>', 'what the federation is (fedplane driver list); default: that of the server')
    .addOption(new Option('--property <key=value>', 'option of the driver; may be repeated').argParser(collectPairs))
    .option('--dry-run', 'change nothing; say what would happen')
    .action(
      async (
        name: string,
        options: ChangeOptions &
          HealthPolicyFlags & {
            host: string
            member?: string[]
            selector?: string
            driver?: string
            property?: Record<string, string>
            dryRun?: boolean
          },
      ) => {
        const api = await connect(io, options)
        const request = {
          name,
          hostcluster_id: options.host,
          member_ids: options.member ?? [],
          member_selector: options.selector === undefined ? undefined : { labels: options.selector },
          driver: options.driver,
          properties: options.property ?? {},
          on_unhealthy: options.onUnhealthy,
          after_seconds: options.afterSeconds,
          on_healthy: options.onHealthy,
        }
        if (!options.dryRun) return createFederation(io, api, request, options)
        printDryRun(
          io,
          (await api.ask<DryRunView>('POST', '/federations', { query: { dry_run: true }, body: request })).body,
        )
      },
    )

const update = (io: Io) =>
  withExamples(
    withHealthPolicy(withWait(withServer(new Command('update')))),
    'fedplane federation update fleet --property replicas=3',
    'fedplane federation update fleet --remove-property extra-sans --dry-run',
    'fedplane federation update fleet --selector env=prod --dry-run',
    'fedplane federation update fleet --on-unhealthy unjoin --after-seconds 600',
  )
    .description("Change a federation's properties, what selects its members, or what becomes of unhealthy ones.")
    .argument('<federation>', 'name or uuid')
    .addOption(new Option('--property <key=value>', 'sets a property; may be repeated').argParser(collectPairs))
    .addOption(new Option('--remove-property <key>', 'takes a property back; may be repeated').argParser(collect))
    .option('--selector <labels>', 'clusters that become members by themselves, as kubectl selects by labels')
    .option('--remove-selector', 'select no more; members stay')
    .option('--dry-run', 'change nothing; say what would happen')
    .action(
      async (
        name: string,
        options: ChangeOptions &
          SelectorFlags &
          HealthPolicyFlags & {
            property?: Record<string, string>
            removeProperty?: string[]
            dryRun?: boolean
          },
      ) => {
        const operations: Patch = [
          ...selectorPatch(options),
          ...healthPolicyPatch(options),
          ...Object.entries(options.property ?? {}).map(([key, value]) => ({
            op: 'add' as const,
            path: `/properties/${pointer(key)}`,
            value,
          })),
          ...(options.removeProperty ?? []).map((key) => ({
            op: 'remove' as const,
            path: `/properties/${pointer(key)}`,
          })),
        ]
        if (operations.length === 0)
          throw usageError('Nothing to change is named.', `fedplane federation update ${name} --property key=value`)
        const api = await connect(io, options)
        const { status, body } = await patch(api, name, operations, { dry_run: options.dryRun })
        if (options.dryRun && status === 200) return printDryRun(io, body)
        if (!options.wait) return accepted(io, `federation/${name} is being updated`, watchOf(name))
        await waitFor<FederationView>(
          {
            path: pathOf(name),
            isDone: (seen) => isSettled(seen, name),
            snapshot: federationSnapshot,
            again: watchOf(name),
          },
          { io, api, timeoutSeconds: options.timeout },
        )
        io.stdout.write(`federation/${name} updated\n`)
      },
    )

/** A key in a JSON Pointer (RFC 6901, section 3). */
const pointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

const remove = (io: Io) =>
  withExamples(
    withYes(withRemoval(withWait(withServer(new Command('delete'))))).alias('rm'),
    'fedplane federation delete fleet',
    'fedplane federation delete fleet --workloads delete --yes',
  )
    .description(
      'Unjoin all members, then delete the control plane. Clusters stay, but for a host that was created with the federation.',
    )
    .argument('<federation...>', 'names or uuids')
    .action(async (names: string[], options: ChangeOptions & RemovalFlags) => {
      const api = await connect(io, options)
      const views = await Promise.all(names.map((name) => api.get<FederationView>(pathOf(name))))
      const hosts = await Promise.all(views.map((view) => hostThatGoes(api, view)))
      await confirmOrEnd(io, views.map((view, index) => whatGoes(view, hosts[index])).join(' '), options)
      for (const { uuid } of views) {
        await api.ask('DELETE', `/federations/${uuid}`, {
          query: { force: options.force, workloads: options.workloads },
        })
      }
      if (!options.wait)
        return accepted(io, `federations ${names.join(', ')} are being deleted`, watchOf(names[0] ?? ''))
      for (const { uuid, name } of views) await untilDeleted(io, api, { uuid, name, timeout: options.timeout })
      for (const host of hosts.filter((each) => each !== undefined)) await reportHost(io, api, host)
    })

/** The host that was created with a federation, unless it is kept or used by others. */
const hostThatGoes = async (
  api: ApiClient,
  { uuid, host, hostcluster_id }: FederationView,
): Promise<ClusterView | undefined> => {
  if (!host?.created || host.keep) return undefined
  const cluster = await api.find<ClusterView>(`/clusters/${segment(hostcluster_id)}`)
  return cluster?.federations.every((federation) => federation.uuid === uuid) ? cluster : undefined
}

const whatGoes = ({ name, members }: FederationView, host: ClusterView | undefined): string => {
  const cluster = host ? ` The cluster ${host.name}, which was created as its host, will be deleted too.` : ''
  return members.length === 0
    ? `Federation ${name} will be deleted.${cluster}`
    : `Federation ${name} will be deleted, and ${members.map((member) => member.name).join(', ')} leave it.${cluster}`
}

/** Its own deletion goes on after the federation's. */
const reportHost = async (io: Io, api: ApiClient, { uuid, name }: ClusterView): Promise<void> => {
  const now = await api.find<ClusterView>(`/clusters/${uuid}`)
  if (now === undefined) io.stdout.write(`cluster/${shown(name)} deleted\n`)
  else if (now.status.startsWith('DELETE_'))
    accepted(io, `cluster/${name} is being deleted`, `fedplane cluster show ${name}`)
}

const untilDeleted = async (
  io: Io,
  api: ApiClient,
  { uuid, name, timeout }: { uuid: string; name: string; timeout: number | undefined },
) => {
  await waitFor<FederationView>(
    {
      path: `/federations/${uuid}`,
      isDone: (seen) => seen === undefined || (isSettled(seen, name) && fail(seen)),
      snapshot: federationSnapshot,
      again: watchOf(name),
    },
    { io, api, timeoutSeconds: timeout },
  )
  io.stdout.write(`federation/${shown(name)} deleted\n`)
}

/** A deletion that ended with the federation still there. */
const fail = ({ name, status, status_reason }: FederationView): never => {
  throw new CliError(`Federation ${name} was not deleted, and is ${status}: ${status_reason ?? 'no reason is given'}`, {
    remedy: `fedplane federation delete ${name} --force, if a cluster does not come back`,
  })
}

/** Verbs that change federations. */
export const federationChanges = (io: Io): Command[] => [create(io), update(io), ...membershipVerbs(io), remove(io)]
