import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import type { ClusterSet } from '../clusters/take-clusters.ts'
import type { Fedplane } from '../server.ts'
import type { Api, ClusterView, FederationView } from './api.ts'
import {
  consumerClient,
  hasProfileApi,
  namespacesSeenBy,
  type Profile,
  profilesOf,
  remainsOf,
  removeProfileApi,
  usableViewRole,
} from './observe.ts'

/** Writes the demo's lines: time of the step, then what happened. Plain text, the same for people and for files. */
export class Printer {
  readonly #write: (text: string) => void

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  heading(text: string): void {
    this.#write(`${text}\n\n`)
  }

  /** A step that is over, with its time. */
  step(milliseconds: number, text: string): void {
    this.#write(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${text}\n`)
  }

  /** Belongs to the step above. */
  detail(text: string): void {
    for (const line of text.split('\n')) this.#write(`          ${line}\n`)
  }

  failed(milliseconds: number, text: string): void {
    this.#write(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  FAILED: ${text}\n`)
  }

  end(text: string): void {
    this.#write(`\n${text}\n`)
  }
}

/** Columns of text under their titles. */
export const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string => {
  const all = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Everything that the demo holds open. */
export type Stage = {
  fedplane: Fedplane
  api: Api
  set: ClusterSet
  /** Clients of the clusters themselves, in their order. */
  clients: KubernetesClient[]
}

/** What the demo made and found, for cleaning up whatever happens. */
export type Made = {
  clusterIds: string[]
  federationId: string | undefined
  /** Whether the host had the ClusterProfile API before. */
  hadProfileApi: boolean
}

/** A check of the demo that does not hold. */
class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}

const demand = (holds: boolean, sentence: string): void => {
  if (!holds) throw new CheckFailed(sentence)
}

export const federationPath = (id: string | undefined): string => `/v1/federations/${id}`

/** Registers all clusters, at the same time. */
export const register = async ({ api, set }: Stage, made: Made): Promise<ClusterView[]> => {
  for (const { name, kubeconfig, context } of set.clusters) {
    made.clusterIds.push(await api.create('/v1/clusters', { name, kubeconfig, context }))
  }
  return Promise.all(made.clusterIds.map((id) => api.settled<ClusterView>(`/v1/clusters/${id}`, 'CREATE_COMPLETE')))
}

export const showClusters = (clusters: readonly ClusterView[]): string =>
  table(
    ['CLUSTER', 'API SERVER', 'VERSION', 'HEALTH', 'NODES'],
    clusters.map(({ name, api_address, coe_version, health_status, node_count, master_count }) => [
      name,
      api_address ?? '-',
      coe_version ?? '-',
      health_status ?? '-',
      String(node_count + master_count),
    ]),
  )

const hostOf = ({ clients }: Stage): KubernetesClient => {
  const [host] = clients
  if (host === undefined) throw new CheckFailed('there is no host cluster')
  return host
}

export const federate = async (stage: Stage, made: Made): Promise<FederationView> => {
  const { api, clients } = stage
  const [host] = made.clusterIds
  made.hadProfileApi = await hasProfileApi(hostOf(stage))
  made.federationId = await api.create('/v1/federations', {
    name: 'demo',
    hostcluster_id: host,
    driver: 'clusterprofile@1',
    properties: { 'member-role': await usableViewRole(clients.slice(1)) },
  })
  return api.settled<FederationView>(federationPath(made.federationId), 'CREATE_COMPLETE')
}

export const joinMembers = async ({ api }: Stage, made: Made): Promise<FederationView> => {
  const path = federationPath(made.federationId)
  const members = made.clusterIds.slice(1)
  await api.patch(path, [{ op: 'add', path: '/member_ids', value: members }])
  const federation = await api.settled<FederationView>(path, 'UPDATE_COMPLETE')
  const states = federation.members.map(({ name, state }) => `${name} ${state}`)
  demand(
    states.length === members.length && states.every((state) => state.endsWith(' Ready')),
    `members are ${states.join(', ')}`,
  )
  return federation
}

const showProfiles = (profiles: readonly Profile[]): string =>
  table(
    ['CLUSTERPROFILE', 'SERVER', 'VERSION', 'CONDITIONS'],
    profiles.map(({ metadata, status }) => [
      metadata.name,
      status.accessProviders[0]?.cluster.server ?? '-',
      status.version?.kubernetes ?? '-',
      status.conditions.map((condition) => `${condition.type}=${condition.status}`).join(', '),
    ]),
  )

/** What the host holds now, read from the host itself. */
export const showInventory = async (stage: Stage, made: Made): Promise<{ profiles: Profile[]; text: string }> => {
  const profiles = await profilesOf(hostOf(stage), made.federationId ?? '')
  const members = made.clusterIds.length - 1
  demand(profiles.length === members, `the host holds ${profiles.length} ClusterProfiles, not ${members}`)
  return { profiles, text: showProfiles(profiles) }
}

const useOne = async (host: KubernetesClient, profile: Profile): Promise<string> => {
  const client = await consumerClient(host, profile)
  try {
    const names = await namespacesSeenBy(client)
    demand(names.includes('kube-system'), `the credential of ${profile.metadata.name} sees no kube-system`)
    return `${profile.metadata.name}: ${names.join(', ')}`
  } finally {
    client.close()
  }
}

/** Uses the published credentials as Argo CD or Kueue would: lists the member's namespaces. */
export const useCredentials = async (stage: Stage, profiles: readonly Profile[]): Promise<string> => {
  const host = hostOf(stage)
  return (await Promise.all(profiles.map((profile) => useOne(host, profile)))).join('\n')
}

/**
 * Takes out whatever members there are by now: while the demo was kept open, somebody may have changed them, or deleted the federation.
 * Returns their names.
 */
export const unjoin = async ({ api }: Stage, made: Made): Promise<string[]> => {
  const path = federationPath(made.federationId)
  const before = await api.until(
    () => api.find<FederationView>(path),
    (view) => !view?.status.endsWith('_IN_PROGRESS'),
  )
  const leaving = (before?.members ?? []).filter(({ cluster_id }) => before?.member_ids.includes(cluster_id))
  if (leaving.length === 0) return []
  const operations = leaving.map(({ cluster_id: value }) => ({ op: 'remove', path: '/member_ids', value }))
  await api.patch(path, operations)
  const federation = await api.settled<FederationView>(path, 'UPDATE_COMPLETE')
  demand(federation.member_ids.length === 0, `still members: ${federation.member_ids.join(', ')}`)
  return leaving.map(({ name }) => name)
}

/** Deletes the demo's federation, and those that somebody made beside it. Returns how many those were. */
export const deleteFederations = async ({ api }: Stage, made: Made): Promise<number> => {
  const { federations } = await api.get<{ federations: { uuid: string }[] }>('/v1/federations')
  for (const { uuid } of federations) await api.delete(federationPath(uuid))
  await Promise.all(federations.map(({ uuid }) => api.gone(federationPath(uuid))))
  return federations.filter(({ uuid }) => uuid !== made.federationId).length
}

/**
 * Looks into every cluster for what carries the federation's label. Returns a sentence for each empty namespace that waits for a
 * namespace controller; all else is a fault. @throws CheckFailed
 */
export const checkNothingLeft = async ({ clients, set }: Stage, made: Made): Promise<string[]> => {
  const waiting: string[] = []
  for (const [index, client] of clients.entries()) {
    const name = set.clusters[index]?.name ?? ''
    const remains = await remainsOf(client, made.federationId ?? '')
    const lasting = remains.filter(({ terminating }) => !terminating)
    demand(lasting.length === 0, `left in ${name}: ${lasting.map(({ text }) => text).join(', ')}`)
    waiting.push(...remains.map(({ text }) => `${text} in ${name}`))
  }
  return waiting
}

/** All that this fedplane knows: its own, and those that somebody registered while it was kept open. */
export const deleteClusters = async ({ api }: Stage): Promise<void> => {
  const { clusters } = await api.get<{ clusters: { uuid: string }[] }>('/v1/clusters')
  for (const { uuid } of clusters) await api.delete(`/v1/clusters/${uuid}`)
  await Promise.all(clusters.map(({ uuid }) => api.gone(`/v1/clusters/${uuid}`)))
}

/** Takes away the ClusterProfile API if the demo brought it. Null when it was there before. */
export const removeProfileApiAgain = async (stage: Stage, made: Made): Promise<boolean | null> =>
  made.hadProfileApi ? null : removeProfileApi(hostOf(stage))
