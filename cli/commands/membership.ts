import { Command } from 'commander'
import { type ApiClient, segment } from '../api/client.ts'
import type { FederationView } from '../api/views.ts'
import { waitFor } from '../api/wait.ts'
import { CliError, usageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { loadKubeconfig } from '../kubeconfig/local-kubeconfig.ts'
import { confirmOrEnd } from '../output/confirm.ts'
import { shown } from '../output/table.ts'
import {
  type ChangeOptions,
  patch,
  pathOf,
  printDryRun,
  type RemovalFlags,
  watchOf,
  withRemoval,
} from './federation-requests.ts'
import { federationSnapshot, haveSettled, NOT_JOINED, requireMembers } from './federation-view.ts'
import { accepted, connect, type WaitFlags, withExamples, withServer, withWait, withYes } from './options.ts'
import { ensureRegistered, type PlaceOptions, placesOf, withPlaces } from './places.ts'
import { clusterIds } from './register.ts'

/** Waits until the members' joins or unjoins are over. */
const settledMembers = (
  io: Io,
  api: ApiClient,
  { name, ids, timeout }: { name: string; ids: ReadonlySet<string>; timeout: number | undefined },
) =>
  waitFor<FederationView>(
    {
      path: pathOf(name),
      isDone: (seen) => {
        if (seen === undefined) throw new CliError(`Federation ${name} was deleted meanwhile.`)
        return haveSettled(seen, ids)
      },
      snapshot: federationSnapshot,
      again: watchOf(name),
    },
    { io, api, timeoutSeconds: timeout },
  )

type JoinOptions = ChangeOptions & PlaceOptions & { dryRun?: boolean; kubeconfig?: string }

const joinClusters = async (io: Io, name: string, clusters: readonly string[], options: JoinOptions): Promise<void> => {
  const api = await connect(io, options)
  const places = placesOf(loadKubeconfig(io.env, options.kubeconfig), clusters)
  const names = places.map((place) => place.name)
  // Before anything is registered.
  await api.get<FederationView>(pathOf(name))
  const ids = options.dryRun ? await clusterIds(api, names) : await ensureRegistered(io, api, places, options)
  if (!options.dryRun) return joinMembers(io, api, { name, names, ids }, options)
  const { status, body } = await patch(api, name, [{ op: 'add', path: '/member_ids', value: ids }], { dry_run: true })
  if (status === 200) printDryRun(io, body)
}

/** Joins registered clusters, and waits for them. @throws CliError */
export const joinMembers = async (
  io: Io,
  api: ApiClient,
  { name, names, ids }: { name: string; names: readonly string[]; ids: readonly string[] },
  options: WaitFlags,
): Promise<void> => {
  await patch(api, name, [{ op: 'add', path: '/member_ids', value: ids }])
  const joined = `federation/${name}: ${names.join(', ')}`
  if (!options.wait) return accepted(io, `${joined} joining`, watchOf(name))
  const view = await settledMembers(io, api, { name, ids: new Set(ids), timeout: options.timeout })
  const remedy = `fedplane federation join ${name} ${names.join(' ')}, once that is repaired`
  if (view) requireMembers(view, { ids: new Set(ids), isFailed: (state) => NOT_JOINED.has(state), remedy })
  io.stdout.write(`${joined} joined\n`)
}

const join = (io: Io) =>
  withExamples(
    withYes(withPlaces(withWait(withServer(new Command('join'))))),
    'fedplane federation join fleet edge-1 edge-2',
    'fedplane federation join fleet edge-1 --dry-run',
  )
    .description(
      'Join clusters to a federation. Contexts of your kubeconfig that are not registered yet are registered first.',
    )
    .argument('<federation>', 'name or uuid')
    .argument('<cluster...>', 'contexts, or names or uuids of registered clusters')
    .option('--dry-run', 'change nothing; say what would happen, to registered clusters')
    .action((name: string, clusters: string[], options: JoinOptions) => joinClusters(io, name, clusters, options))

const unjoin = (io: Io) =>
  withExamples(
    withYes(withRemoval(withWait(withServer(new Command('unjoin'))))),
    'fedplane federation unjoin fleet edge-1',
    'fedplane federation unjoin fleet edge-1 --force --yes',
  )
    .description('Unjoin members. Their workloads go on running unless --workloads delete is given.')
    .argument('<federation>', 'name or uuid')
    .argument('<cluster...>', 'names or uuids of the members')
    .action(async (name: string, clusters: string[], options: ChangeOptions & RemovalFlags) => {
      const api = await connect(io, options)
      const ids = await clusterIds(api, clusters)
      await confirmOrEnd(io, `${clusters.join(', ')} will leave federation ${name}.`, options)
      const { force, workloads } = options
      await patch(
        api,
        name,
        ids.map((value) => ({ op: 'remove', path: '/member_ids', value })),
        { force, workloads },
      )
      const left = `federation/${name}: ${clusters.join(', ')}`
      if (!options.wait) return accepted(io, `${left} unjoining`, watchOf(name))
      const view = await settledMembers(io, api, { name, ids: new Set(ids), timeout: options.timeout })
      const remedy = `fedplane federation unjoin ${name} ${clusters.join(' ')} --force, if the cluster does not come back`
      if (view) requireMembers(view, { ids: new Set(ids), isFailed: () => true, remedy })
      io.stdout.write(`${left} unjoined\n`)
    })

type Rotations = { rotating: string[]; skipped: { uuid: string; reason: string }[] }

const rotateAll = async (io: Io, api: ApiClient, name: string): Promise<void> => {
  const { rotating, skipped } = (
    await api.ask<Rotations>('POST', `${pathOf(name)}/actions/rotate-members`, { body: {} })
  ).body
  for (const { reason } of skipped) io.stderr.write(`Not rotated: ${shown(reason)}\n`)
  accepted(io, `federation/${name}: credentials of ${rotating.length} members are being replaced`, eventsOf(name))
}

const eventsOf = (name: string): string => `fedplane federation events ${name}`

const rotate = (io: Io) =>
  withExamples(
    withServer(new Command('rotate')),
    'fedplane federation rotate fleet edge-1',
    'fedplane federation rotate fleet --all',
  )
    .description(
      'Make credentials of members worthless, and replace them: for those that may be known to somebody. Takes some ten seconds.',
    )
    .argument('<federation>', 'name or uuid')
    .argument('[cluster...]', 'names or uuids of the members')
    .option('--all', 'of all members')
    .action(async (name: string, clusters: string[], options: ChangeOptions & { all?: boolean }) => {
      if ((clusters.length === 0) !== (options.all === true))
        throw usageError('Name members, or all of them.', `fedplane federation rotate ${name} --all`)
      const api = await connect(io, options)
      if (options.all) return rotateAll(io, api, name)
      for (const cluster of clusters)
        await api.ask('POST', `${pathOf(name)}/members/${segment(cluster)}/actions/rotate`, { body: {} })
      accepted(io, `federation/${name}: credentials of ${clusters.join(', ')} are being replaced`, eventsOf(name))
    })

/** `federation join`, `federation unjoin` and `federation rotate`. */
export const membershipVerbs = (io: Io): Command[] => [join(io), unjoin(io), rotate(io)]
