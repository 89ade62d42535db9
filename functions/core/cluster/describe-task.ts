import { counted } from '../values/wording.ts'
import type { ClusterTask } from './cluster-task.ts'
import type { NodeGroup } from './node-group.ts'

const upgradeOf = (templateId: string, group: string | null): string =>
  `upgrade${group === null ? '' : ` of ${group}`} to cluster template ${templateId}`

/** A task as a reader of a cluster's history understands it, to go on inside of a sentence: "resize of node group pool-1 to 3 nodes". */
export const describeTask = (task: ClusterTask, groups: readonly NodeGroup[]): string => {
  const named = (id: string): string => `node group ${groups.find((group) => group.id === id)?.name ?? id}`
  switch (task.kind) {
    case 'credential':
      return 'change of the kubeconfig'
    case 'resize':
      return `resize of ${named(task.nodeGroupId)} to ${counted(task.nodeCount, 'node')}`
    case 'node-group-create':
      return `creation of ${named(task.nodeGroupId)}`
    case 'node-group-update':
      return `update of ${named(task.nodeGroupId)}`
    case 'node-group-delete':
      return `deletion of ${named(task.nodeGroupId)}`
    case 'upgrade':
      return upgradeOf(task.templateId, task.nodeGroupId === null ? null : named(task.nodeGroupId))
    case 'rotate-authority':
      return 'rotation of the certificate authorities'
    case 'rotate-credential':
      return 'rotation of the credentials'
  }
}
