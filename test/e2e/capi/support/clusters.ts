import { expect } from 'vitest'
import type { Api, ClusterView } from '../../../support/api/api.ts'
import { clusterPath } from '../../support/stories.ts'

/** What a test reads of a cluster that is made. */
export type MadeCluster = ClusterView & {
  node_addresses: string[]
  master_addresses: string[]
  health_status_reason: Record<string, string>
}

export type NodeGroupView = {
  uuid: string
  name: string
  status: string
  status_reason: string | null
  node_count: number
  node_addresses: string[]
  version: string | null
}

/** A template of the driver; its uuid. */
export const template = (
  api: Api,
  name: string,
  version: string,
  labels: Record<string, string> = {},
): Promise<string> =>
  api.create('/v1/clustertemplates', {
    name,
    coe: 'kubernetes',
    driver: 'capi@1',
    image_id: 'simulated',
    labels: { kube_tag: version, ...labels },
  })

export const settled = (api: Api, id: string, status: string): Promise<MadeCluster> =>
  api.settled<MadeCluster>(clusterPath(id), status)

/** Makes a cluster with one master. */
export const make = async (api: Api, name: string, templateId: string, node_count = 1): Promise<MadeCluster> => {
  const id = await api.create('/v1/clusters', { name, cluster_template_id: templateId, node_count })
  return settled(api, id, 'CREATE_COMPLETE')
}

export const groupsOf = async (api: Api, id: string): Promise<NodeGroupView[]> => {
  const { nodegroups } = await api.get<{ nodegroups: { uuid: string }[] }>(`${clusterPath(id)}/nodegroups`)
  return Promise.all(nodegroups.map(({ uuid }) => api.get<NodeGroupView>(`${clusterPath(id)}/nodegroups/${uuid}`)))
}

export const groupOf = async (api: Api, id: string, name: string): Promise<NodeGroupView> => {
  const found = (await groupsOf(api, id)).find((group) => group.name === name)
  if (found === undefined) throw new Error(`no node group ${name}`)
  return found
}

export const resize = async (api: Api, id: string, node_count: number, more: object = {}): Promise<MadeCluster> => {
  await api.ask('POST', `${clusterPath(id)}/actions/resize`, { node_count, ...more })
  const view = await settled(api, id, 'UPDATE_COMPLETE')
  expect(view.node_count).toBe(node_count)
  return view
}

/** Deletes it, and waits until it is gone. */
export const remove = async (api: Api, id: string): Promise<void> => {
  await api.delete(clusterPath(id))
  await api.gone(clusterPath(id))
}
