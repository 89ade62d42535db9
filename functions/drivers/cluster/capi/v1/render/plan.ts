import * as z from 'zod'
import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { ClusterTask } from '../../../../../core/cluster/cluster-task.ts'
import type { ClusterTemplate, ClusterTemplateSpec } from '../../../../../core/cluster/cluster-template.ts'
import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { isAbout } from '../../../../../core/cluster/task-groups.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { wantedGroupLabels, wantedLabels } from '../model/desired.ts'
import type { Infrastructure } from '../model/infrastructure.ts'
import { type ClusterValues, clusterValues, type GroupValues, groupValues } from '../model/labels.ts'
import type { ClusterNames } from '../model/names.ts'

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

/** What is wanted of a cluster, read. */
export type DesiredCluster = {
  plan: RenderPlan
  values: ClusterValues
  /** What its labels say to groups that have none of their own. */
  own: GroupValues
  /** Undefined when the template is gone: a change that needs it takes what is there. */
  spec: ClusterTemplateSpec | undefined
}

/** What is wanted of one node group, read. */
export type DesiredGroup = DesiredCluster & { group: NodeGroup; image: string; isMaster: boolean }

export const desiredCluster = (plan: RenderPlan): DesiredCluster => ({
  plan,
  values: clusterValues(wantedLabels(plan)),
  own: groupValues(wantedLabels(plan)),
  spec: plan.template?.spec,
})

/** An upgrade brings the template's image; other nodes are of the image that their group was given. */
const imageOf = ({ task, template }: RenderPlan, group: NodeGroup): string => {
  const given = group.imageId ?? template?.spec.imageId
  const isUpgraded = task?.kind === 'upgrade' && isAbout(task, group)
  return (isUpgraded ? template?.spec.imageId : given) ?? given ?? ''
}

export const desiredGroup = (plan: RenderPlan, group: NodeGroup): DesiredGroup => {
  const labels = wantedGroupLabels(plan, group)
  return {
    ...desiredCluster(plan),
    group: { ...group, labels },
    own: groupValues(labels),
    image: imageOf(plan, group),
    isMaster: isMaster(group),
  }
}

const Stored = z.object({
  spec: z.object({ clusterNetwork: z.object({ apiServerPort: z.number().optional() }).prefault({}) }),
})

/**
 * Where API servers listen, and the load balancer before them; undefined: 6443. That of a cluster which is there is the one that it was made with, whatever
 * its template says by now: load balancer and address stay when masters are replaced.
 */
export const apiServerPortOf = ({
  previous,
  template,
}: Pick<RenderPlan, 'previous' | 'template'>): number | undefined =>
  previous === undefined
    ? (template?.spec.apiserverPort ?? undefined)
    : Stored.safeParse(previous).data?.spec.clusterNetwork.apiServerPort

/** Label of a Cluster that says which CNI it has: also for operators' own tools. */
export const NETWORK_DRIVER_LABEL = 'fedplane.io/network-driver'

/** Of new clusters whose template names none. */
const DEFAULT_NETWORK_DRIVER = 'calico'

/** The CNI that a cluster has: the one it was made with, whatever its template says by now, since a second one would break its network. */
export const networkDriverOf = ({ previous, template }: Pick<RenderPlan, 'previous' | 'template'>): string =>
  previous?.metadata.labels?.[NETWORK_DRIVER_LABEL] ?? (template?.spec.networkDriver || DEFAULT_NETWORK_DRIVER)
