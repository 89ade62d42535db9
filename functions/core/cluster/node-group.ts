import type { Status } from '../values/status.ts'
import type { ClusterNodes } from './cluster.ts'
import type { ClusterTaskKind } from './cluster-task.ts'

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const

export type NodeTaint = { key: string; value?: string; effect: (typeof TAINT_EFFECTS)[number] }

/** Role of the group that carries the control plane; groups of every other role are workers. */
export const MASTER_ROLE = 'master'

/** Names of the two groups that every cluster has (magnum-rest.md 4.1). */
export const DEFAULT_GROUPS = { master: 'default-master', worker: 'default-worker' } as const

/** Nodes of one kind in a cluster (magnum-rest.md section 6). Every cluster has a default group of masters and one of workers. */
export type NodeGroup = {
  /** UUIDv7. */
  id: string
  projectId: string
  clusterId: string
  /** Magnum's integer `id`: from 1, rising within the cluster. */
  number: number
  /** Unique within the cluster. */
  name: string
  role: string
  isDefault: boolean
  /** As last asked for; shown. */
  nodeCount: number
  /** As last reached: what `nodeCount` goes back to when a change fails. */
  reachedCount: number
  minNodeCount: number
  /** Null: no limit. */
  maxNodeCount: number | null
  flavorId: string | null
  imageId: string | null
  labels: Readonly<Record<string, string>>
  /** GB. */
  dockerVolumeSize: number | null
  nodeLabels: Readonly<Record<string, string>>
  nodeTaints: readonly NodeTaint[]
  /** Told by the driver. */
  nodeAddresses: readonly string[]
  status: Status
  statusReason: string | null
  /** The kind of its change that failed; null when its last one did not. An upgrade stays noted until another one succeeds (decision 0025). */
  failedTask: ClusterTaskKind | null
  /** Kubernetes version of its nodes, told by the driver. */
  version: string | null
  /** From 1; each change adds 1 and is conditional on the value read. */
  revision: number
  createdAt: string
  updatedAt: string | null
}

/** The fields that `NodeGroupStore.change` may set. */
export type NodeGroupChange = Partial<
  Pick<
    NodeGroup,
    | 'nodeCount'
    | 'reachedCount'
    | 'minNodeCount'
    | 'maxNodeCount'
    | 'flavorId'
    | 'imageId'
    | 'labels'
    | 'nodeLabels'
    | 'nodeTaints'
    | 'nodeAddresses'
    | 'status'
    | 'statusReason'
    | 'failedTask'
    | 'version'
    | 'updatedAt'
  >
>

export const isMaster = ({ role }: Pick<NodeGroup, 'role'>): boolean => role === MASTER_ROLE

const sum = (groups: readonly NodeGroup[]): number => groups.reduce((total, { nodeCount }) => total + nodeCount, 0)

/** What a cluster says of its node groups together (magnum-rest.md 4.2). */
export const nodesOf = (groups: readonly NodeGroup[]): ClusterNodes => {
  const masters = groups.filter(isMaster)
  const workers = groups.filter((group) => !isMaster(group))
  return {
    nodeCount: sum(workers),
    masterCount: sum(masters),
    nodeAddresses: workers.flatMap(({ nodeAddresses }) => nodeAddresses),
    masterAddresses: masters.flatMap(({ nodeAddresses }) => nodeAddresses),
  }
}
