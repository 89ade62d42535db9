import type { ClusterView } from '../api/views.ts'
import { CliError } from '../errors.ts'
import type { Kind } from '../output/format.ts'
import type { Snapshot } from '../output/progress.ts'
import { age, description } from '../output/table.ts'

export const CLUSTERS: Kind<ClusterView> = {
  name: 'cluster',
  list: 'clusters',
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', value: ({ name }) => name },
    { heading: 'STATUS', value: ({ status }) => status },
    { heading: 'HEALTH', value: ({ health_status }) => health_status ?? '' },
    { heading: 'VERSION', value: ({ coe_version }) => coe_version ?? '' },
    { heading: 'NODES', value: ({ node_count, master_count }) => String(node_count + master_count) },
    { heading: 'DRIVER', value: ({ driver }) => driver },
    { heading: 'AGE', value: ({ created_at }) => age(created_at, Date.now()) },
    { heading: 'UUID', value: ({ uuid }) => uuid, isWide: true },
    { heading: 'API SERVER', value: ({ api_address }) => api_address ?? '', isWide: true },
    { heading: 'PROJECT', value: ({ project_id }) => project_id, isWide: true },
    { heading: 'REASON', value: ({ status_reason }) => status_reason ?? '', isWide: true },
  ],
}

const healthReasons = ({ health_status_reason: reasons }: ClusterView): string =>
  Object.entries(reasons ?? {})
    .map(([what, how]) => `${what}=${how}`)
    .join(', ')

/** All of a cluster, for people. */
export const describeCluster = (view: ClusterView): string =>
  description([
    ['Name', view.name],
    ['UUID', view.uuid],
    ['Status', view.status],
    ['Reason', view.status_reason ?? ''],
    ['Health', [view.health_status, healthReasons(view)].filter((part) => part).join(': ')],
    ['API server', view.api_address ?? ''],
    ['Version', view.coe_version ?? ''],
    ['Nodes', `${view.master_count} control plane, ${view.node_count} workers`],
    ['Driver', view.driver],
    ['Template', view.cluster_template_id],
    ['Federations', view.federations.map(({ uuid, role }) => `${uuid} (${role})`).join(', ')],
    [
      'Labels',
      Object.entries(view.labels ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join(', '),
    ],
    ['Project', view.project_id],
    ['Created', view.created_at],
  ])

/** Health alone, for `cluster health`. */
export const describeHealth = (view: ClusterView): string =>
  description([
    ['Cluster', view.name],
    ['Health', view.health_status ?? 'UNKNOWN'],
    ...Object.entries(view.health_status_reason ?? {}),
  ])

/** How work on a cluster goes on. */
export const clusterSnapshot = ({ name, status, status_reason: reason }: ClusterView): Snapshot => ({
  whole: `cluster/${name}  ${status}${reason === null ? '' : `  ${reason}`}`,
  parts: new Map(),
})

/** True once no work on a cluster goes on. @throws CliError when it failed, or when the cluster is gone */
export const isClusterSettled = (view: ClusterView | undefined, name: string): boolean => {
  if (view === undefined) throw new CliError(`Cluster ${name} was deleted meanwhile.`)
  if (!view.status.endsWith('_FAILED')) return !view.status.endsWith('_IN_PROGRESS')
  const again = `, and once that is repaired fedplane cluster delete ${view.name} and the same again`
  throw new CliError(`Cluster ${view.name} is ${view.status}: ${view.status_reason ?? 'no reason is given'}`, {
    remedy: `fedplane cluster events ${view.name}${view.status === 'CREATE_FAILED' ? again : ''}`,
  })
}
