import { expect } from 'vitest'
import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'
import type { DemoCluster } from '../../../local/clusters/take-clusters.ts'
import type { Api, ClusterView, FederationView } from '../../../local/demo/api.ts'
import { remainsOf } from '../../../local/demo/observe.ts'

/** What several end-to-end stories do at fedplane's API. */

export const federationPath = (id: string): string => `/v1/federations/${id}`
export const clusterPath = (id: string): string => `/v1/clusters/${id}`

export const register = async (api: Api, { name, kubeconfig, context }: DemoCluster): Promise<ClusterView> => {
  const id = await api.create('/v1/clusters', { name, kubeconfig, context })
  return api.settled<ClusterView>(clusterPath(id), 'CREATE_COMPLETE')
}

export const registerAll = (api: Api, clusters: readonly DemoCluster[]): Promise<ClusterView[]> =>
  Promise.all(clusters.map((cluster) => register(api, cluster)))

/** Creates a `clusterprofile@1` federation, with members when given, and waits until it is complete. */
export const federate = async (
  api: Api,
  body: { name: string; hostcluster_id: string; member_ids?: string[]; properties?: Record<string, string> },
) => {
  const id = await api.create('/v1/federations', { driver: 'clusterprofile@1', ...body })
  return api.settled<FederationView>(federationPath(id), 'CREATE_COMPLETE')
}

/** `?force=true` skips what can't be reached. */
export type ChangeOptions = { force?: boolean }

export const add = (api: Api, id: string, clusters: readonly string[]): Promise<void> =>
  api.patch(
    federationPath(id),
    clusters.map((value) => ({ op: 'add', path: '/member_ids', value })),
  )

export const remove = (
  api: Api,
  id: string,
  clusters: readonly string[],
  { force = false }: ChangeOptions = {},
): Promise<void> =>
  api.patch(
    `${federationPath(id)}${force ? '?force=true' : ''}`,
    clusters.map((value) => ({ op: 'remove', path: '/member_ids', value })),
  )

export const join = async (api: Api, id: string, clusters: readonly string[]): Promise<FederationView> => {
  await add(api, id, clusters)
  return api.settled<FederationView>(federationPath(id), 'UPDATE_COMPLETE')
}

export const unjoin = async (api: Api, id: string, clusters: readonly string[]): Promise<FederationView> => {
  await remove(api, id, clusters)
  return api.settled<FederationView>(federationPath(id), 'UPDATE_COMPLETE')
}

export const deleteFederation = async (api: Api, id: string): Promise<void> => {
  await api.delete(federationPath(id))
  await api.gone(federationPath(id))
}

/** Ends a test that leaves clusters for the next: nothing that fedplane holds may stay. */
export const forgetClusters = async (api: Api, ids: readonly string[]): Promise<void> => {
  for (const id of ids) await api.delete(clusterPath(id))
  await Promise.all(ids.map((id) => api.gone(clusterPath(id))))
}

/** Objects with the federation's label, in each cluster; empty namespaces that are going count as gone. */
export const remains = async (clients: readonly KubernetesClient[], federationId: string): Promise<string[][]> =>
  Promise.all(
    clients.map(async (client) => {
      const found = await remainsOf(client, federationId)
      return found.filter(({ terminating }) => !terminating).map(({ text }) => text)
    }),
  )

export const expectNothingLeft = async (clients: readonly KubernetesClient[], federationId: string): Promise<void> => {
  expect(await remains(clients, federationId)).toEqual(clients.map(() => []))
}
