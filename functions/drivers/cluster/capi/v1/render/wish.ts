import type { ClusterTemplateSpec } from '../../../../../core/cluster/cluster-template.ts'
import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { isAbout } from '../../../../../core/cluster/task-groups.ts'
import { wantedGroupLabels, wantedLabels } from '../desired.ts'
import { type ClusterValues, clusterValues, type GroupValues, groupValues } from '../labels.ts'
import type { RenderPlan } from './plan.ts'

/** What is wanted of a cluster, read. */
export type ClusterWish = {
  plan: RenderPlan
  values: ClusterValues
  /** What its labels say to groups that have none of their own. */
  own: GroupValues
  /** Undefined when the template is gone: a change that needs it takes what is there. */
  spec: ClusterTemplateSpec | undefined
}

/** What is wanted of one node group, read. */
export type GroupWish = ClusterWish & { group: NodeGroup; image: string; isMaster: boolean }

export const clusterWish = (plan: RenderPlan): ClusterWish => ({
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

export const groupWish = (plan: RenderPlan, group: NodeGroup): GroupWish => {
  const labels = wantedGroupLabels(plan, group)
  return {
    ...clusterWish(plan),
    group: { ...group, labels },
    own: groupValues(labels),
    image: imageOf(plan, group),
    isMaster: isMaster(group),
  }
}
