import type { Cluster } from './cluster.ts'

/** Kinds of change of a cluster, each with a plan of phases of its own in the driver. */
export const CLUSTER_TASKS = [
  'credential',
  'resize',
  'node-group-create',
  'node-group-update',
  'node-group-delete',
  'upgrade',
  'rotate-authority',
  'rotate-credential',
] as const
export type ClusterTaskKind = (typeof CLUSTER_TASKS)[number]

/** One change of a cluster, decided when it was asked for. Carried out by the flow cluster-update, one at a time. */
export type ClusterTask =
  /** A new kubeconfig came; it lies beside the old one as a candidate. */
  | { kind: 'credential' }
  /** `nodesToRemove`: names or ids of nodes that go; those that are gone already are no error. */
  | { kind: 'resize'; nodeGroupId: string; nodeCount: number; nodesToRemove: readonly string[] }
  | { kind: 'node-group-create'; nodeGroupId: string }
  /** Limits, labels or taints are stored in the group already; `nodeCount` when it had to be brought into new limits. */
  | { kind: 'node-group-update'; nodeGroupId: string; nodeCount: number | null }
  | { kind: 'node-group-delete'; nodeGroupId: string }
  /** To another template, or with `nodeGroupId` one group to the cluster's template. */
  | { kind: 'upgrade'; templateId: string; templateProjectId: string; nodeGroupId: string | null; maxBatchSize: number }
  /** New certificate authorities lie beside the old ones as candidates. */
  | { kind: 'rotate-authority' }
  | { kind: 'rotate-credential' }

/** A task that waits for its turn. Its id becomes that of its operation. */
export type QueuedTask = {
  /** UUIDv7. */
  id: string
  task: ClusterTask
  /** ISO-8601 UTC. */
  requestedAt: string
}

/** Tasks that may wait on one cluster; one more is refused with 409. */
export const QUEUE_MAX = 100

/** The node group that a task is about; null for those of the whole cluster. */
export const nodeGroupOf = (task: ClusterTask): string | null => ('nodeGroupId' in task ? task.nodeGroupId : null)

/**
 * True when nothing is left to do for an earlier change, whether it runs or waits, once a later one is asked for: another number of nodes for the same
 * node group, the group's deletion, or another upgrade of the same. Nodes that a resize names have to go whatever comes after it (magnum-rest.md section 11 row 13).
 */
export const replaces = (later: ClusterTask, earlier: ClusterTask): boolean => {
  if (later.kind === 'upgrade') return earlier.kind === 'upgrade' && later.nodeGroupId === earlier.nodeGroupId
  const group = nodeGroupOf(later)
  if (group === null || group !== nodeGroupOf(earlier)) return false
  if (later.kind === 'node-group-delete') return true
  return later.kind === 'resize' && earlier.kind === 'resize' && earlier.nodesToRemove.length === 0
}

/** Whose template, and which. */
export type TemplateRef = { projectId: string; id: string }

/** The template that a cluster was made from or upgraded to last; a built-in one is not stored. */
export const usedTemplate = ({ magnum }: Pick<Cluster, 'magnum'>): TemplateRef | null =>
  magnum.templateProjectId === null ? null : { projectId: magnum.templateProjectId, id: magnum.clusterTemplateId }

const targetOf = (task: ClusterTask | null): TemplateRef | null =>
  task?.kind === 'upgrade' ? { projectId: task.templateProjectId, id: task.templateId } : null

/**
 * Templates that a cluster uses, each once: that of its nodes, and those that upgrades, which run or wait, lead to. As long as it does they
 * can't be deleted, and nothing can change of them that clusters are made from.
 */
export const templatesInUse = (cluster: Pick<Cluster, 'magnum' | 'task' | 'queue'>): TemplateRef[] => {
  const targets = [cluster.task, ...cluster.queue.map(({ task }) => task)].map(targetOf)
  const all = [usedTemplate(cluster), ...targets].filter((template) => template !== null)
  return [...new Map(all.map((template) => [`${template.projectId}/${template.id}`, template])).values()]
}
