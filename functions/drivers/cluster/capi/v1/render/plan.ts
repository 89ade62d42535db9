import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { ClusterTask } from '../../../../../core/cluster/cluster-task.ts'
import type { ClusterTemplate } from '../../../../../core/cluster/cluster-template.ts'
import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { Infrastructure } from '../infrastructure.ts'
import type { ClusterNames } from './names.ts'

/** All that a topology `Cluster` is rendered from. */
export type RenderPlan = {
  cluster: Cluster
  names: ClusterNames
  /** Where the class is that new clusters, and upgraded ones, are made from. */
  classNamespace: string
  /** During an upgrade the new one. */
  template: ClusterTemplate | null
  /**
   * As they shall be when the task is done: `nodeCount` of each is what is rendered. The entry of a group that is not here is taken away; so is
   * that of the group which a `node-group-delete` is about.
   */
  nodeGroups: readonly NodeGroup[]
  infrastructure: Infrastructure
  /** The `Cluster` as it was just read; undefined when there is none yet. */
  previous: KubernetesObject | undefined
  /** Null: the cluster is to be created. To take a delete of a group back, say `node-group-create` of the same. */
  task: ClusterTask | null
}
