import { isUuid } from '../../functions/core/values/ids.ts'
import { type ApiClient, segment } from '../api/client.ts'
import type { ClusterView, GrantView } from '../api/views.ts'
import { waitFor } from '../api/wait.ts'
import type { Io } from '../io.ts'
import { type ContextEntries, flattened, kubeconfigOf, needsPlugin } from '../kubeconfig/local-kubeconfig.ts'
import { withCredential } from '../kubeconfig/plugin-credential.ts'
import { createAccess, describeAccess } from '../kubeconfig/service-account.ts'
import { confirmOrEnd } from '../output/confirm.ts'
import { clusterSnapshot, isClusterSettled } from './cluster-view.ts'
import type { WaitFlags } from './options.ts'

/** A cluster that is registered from a context of the person's own kubeconfig. */
export type Registration = {
  name: string
  context: ContextEntries
  /** The address at which other clusters reach it, where the kubeconfig says 127.0.0.1. */
  serverForPeers?: string | undefined
  insecure?: boolean | undefined
}

export type AccessOptions = {
  /** Creates a ServiceAccount, also where the context's own credential could be handed over. */
  serviceAccount?: boolean | undefined
  /** ClusterRole of the ServiceAccount. */
  role: string
  yes?: boolean | undefined
}

/**
 * What is handed over to fedplane: the context as it is, or, where a plugin makes its credential, a ServiceAccount's. Says first what it creates in the
 * cluster, and asks.
 */
const handOver = async (io: Io, { name, context }: Registration, options: AccessOptions): Promise<ContextEntries> => {
  const isPlugin = needsPlugin(context)
  if (!(isPlugin || options.serviceAccount)) return flattened(context)
  const why = isPlugin ? `The credential of context ${context.name} comes from a plugin of this machine. ` : ''
  await confirmOrEnd(
    io,
    `${why}fedplane gets one of its own: this creates in that cluster ${describeAccess(name, options.role)}, with the ClusterRole ${options.role}.`,
    options,
  )
  return createAccess(await withCredential(context), name, options.role)
}

/** Registers a cluster, without waiting; once, however often it is asked for. @returns its uuid @throws CliError */
export const register = async (
  io: Io,
  api: ApiClient,
  registration: Registration,
  options: AccessOptions,
): Promise<string> => {
  const kubeconfig = kubeconfigOf(await handOver(io, registration, options))
  const { name, serverForPeers: server_for_peers, insecure } = registration
  const body = { name, kubeconfig, server_for_peers, ...(insecure ? { insecure_skip_tls_verify: true } : {}) }
  return api.createOnce('/clusters', body)
}

/** Waits until a cluster is settled. @throws CliError when it failed */
export const untilSettled = (
  io: Io,
  api: ApiClient,
  { uuid, name }: { uuid: string; name: string },
  options: Pick<WaitFlags, 'timeout'>,
) =>
  waitFor<ClusterView>(
    {
      path: `/clusters/${uuid}`,
      isDone: (seen) => isClusterSettled(seen, name),
      snapshot: clusterSnapshot,
      again: `fedplane cluster show ${name}`,
    },
    { io, api, timeoutSeconds: options.timeout },
  )

/** Uuids of clusters that the caller names, in their order. @throws ApiRefused for one that does not exist */
export const clusterIds = (api: ApiClient, names: readonly string[]): Promise<string[]> =>
  Promise.all(
    names.map(async (name) => {
      const found = (await api.find<ClusterView>(`/clusters/${segment(name)}`))?.uuid ?? (await sharedId(api, name))
      return found ?? (await api.get<ClusterView>(`/clusters/${segment(name)}`)).uuid
    }),
  )

/** The uuid of a cluster of another project, if it is one that was shared with the caller's. */
export const sharedId = async (api: ApiClient, name: string): Promise<string | undefined> => {
  if (!isUuid(name)) return undefined
  const grants = await api.list<GrantView>('/grants', 'grants')
  return grants.some((it) => it.cluster_uuid === name && it.direction === 'received') ? name : undefined
}
