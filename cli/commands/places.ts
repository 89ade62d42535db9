import { type Command, Option } from 'commander'
import type { ApiClient } from '../api/client.ts'
import type { ClusterView } from '../api/views.ts'
import { CliError, usageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { type ContextEntries, clusterNameOf, contextOf, type LocalKubeconfig } from '../kubeconfig/local-kubeconfig.ts'
import { collectPairs, type WaitFlags } from './options.ts'
import { type AccessOptions, register, sharedId, untilSettled } from './register.ts'

/** Where people name a cluster: by a context of their kubeconfig, as in the specification of `init` and `join`, or by its name or uuid. */
export type Place = { name: string; context?: ContextEntries }

export type PlaceOptions = AccessOptions & { serverForPeers?: Record<string, string> }

/** Options of verbs that register what they name. */
export const withPlaces = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'kubeconfig to read (default: KUBECONFIG, ~/.kube/config)')
    .addOption(
      new Option(
        '--server-for-peers <context=url>',
        "a cluster's address as other clusters reach it; may be repeated",
      ).argParser(collectPairs),
    )
    .option('--service-account', 'hand over only a ServiceAccount that is created in each cluster')
    .addOption(
      new Option('--role <clusterrole>', 'ClusterRole of those ServiceAccounts; it must let them list nodes').default(
        'cluster-admin',
      ),
    )

/** Names as contexts where there are such; else as registered clusters. @throws CliError */
export const placesOf = (config: LocalKubeconfig, names: readonly string[]): Place[] =>
  names.map((name) =>
    config.contexts.has(name) ? { name: clusterNameOf(name), context: contextOf(config, name) } : { name },
  )

/** The registered cluster of that name, if its API server is that of the context. @throws CliError if it is another one, or failed */
const registered = async (api: ApiClient, { name, context }: Place): Promise<ClusterView | undefined> => {
  const found = await api.findOwnCluster(name)
  if (found === undefined) return undefined
  if (found.status === 'CREATE_FAILED') {
    throw new CliError(`Cluster ${name} could not be registered: ${found.status_reason}`, {
      remedy: `Repair that, fedplane cluster delete ${name}, and the same again.`,
    })
  }
  const server = context?.cluster.server
  const isSame =
    typeof server !== 'string' || found.api_address === null || originOf(server) === originOf(found.api_address)
  if (isSame) return found
  throw new CliError(`The cluster ${name} is registered with another API server, ${found.api_address}.`, {
    remedy: `fedplane cluster import ${context?.name} --name OTHER, then the same with OTHER`,
  })
}

type There = Pick<ClusterView, 'uuid' | 'status'>

/** One that another project shares, by its uuid: it is registered there. */
const shared = async (api: ApiClient, { name, context }: Place): Promise<There | undefined> => {
  const uuid = context === undefined ? await sharedId(api, name) : undefined
  return uuid === undefined ? undefined : { uuid, status: 'CREATE_COMPLETE' }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

const nowhere = (name: string) =>
  usageError(
    `${name} is neither a context of your kubeconfig nor a registered cluster.`,
    'kubectl config get-contexts; fedplane cluster list. One of another project by its uuid: fedplane grant list -o wide.',
  )

/** Before anything is registered. @throws CliError for a name that leads nowhere, and for one that is there twice */
const requireKnown = (places: readonly Place[], there: readonly (There | undefined)[]): void => {
  const twice = places.find(({ name }, index) => places.findIndex((other) => other.name === name) !== index)
  if (twice) throw usageError(`${twice.name} is named twice.`, 'Each cluster once: a host needs no join of its own.')
  const unknown = places.find(({ context }, index) => context === undefined && there[index] === undefined)
  if (unknown) throw nowhere(unknown.name)
}

const registerOne = async (io: Io, api: ApiClient, { name, context }: Place, options: PlaceOptions) => {
  if (context === undefined) throw nowhere(name)
  return register(io, api, { name, context, serverForPeers: options.serverForPeers?.[context.name] }, options)
}

/**
 * Registers what is not registered yet, and waits until all are, also those that another command line registers.
 *
 * @returns their uuids, in their order
 * @throws CliError
 */
export const ensureRegistered = async (
  io: Io,
  api: ApiClient,
  places: readonly Place[],
  options: PlaceOptions & Pick<WaitFlags, 'timeout'>,
): Promise<string[]> => {
  const there = await Promise.all(
    places.map(async (place) => (await registered(api, place)) ?? (await shared(api, place))),
  )
  requireKnown(places, there)
  const ids: string[] = []
  const begun: { uuid: string; name: string }[] = []
  for (const [index, place] of places.entries()) {
    const found = there[index]
    const uuid = found?.uuid ?? (await registerOne(io, api, place, options))
    ids.push(uuid)
    if (found === undefined || found.status === 'CREATE_IN_PROGRESS') begun.push({ uuid, name: place.name })
  }
  for (const cluster of begun) {
    await untilSettled(io, api, cluster, options)
    io.stdout.write(`cluster/${cluster.name} registered\n`)
  }
  return ids
}
