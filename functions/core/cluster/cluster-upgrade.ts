import { isDeepStrictEqual } from 'node:util'
import { TemplateGone } from '../../store/errors.ts'
import type { Ports } from '../ports.ts'
import { isWithinSize } from '../values/attribute-sizes.ts'
import { followLabels } from '../values/labels.ts'
import type { Cluster, ClusterChange } from './cluster.ts'
import type { ClusterTask } from './cluster-task.ts'
import type { NodeGroup, NodeGroupChange } from './node-group.ts'
import { isAbout } from './task-groups.ts'

type UpgradePorts = Pick<Ports, 'stores'>
type Upgrade = Extract<ClusterTask, { kind: 'upgrade' }>

/** A group that was made while the upgrade ran keeps labels that would be too large otherwise: the request was refused for those that were there. */
const changedLabels = (group: NodeGroup, labels: NodeGroup['labels']): NodeGroupChange =>
  isDeepStrictEqual(group.labels, labels) || !isWithinSize('labels', labels) ? {} : { labels }

/** What an upgrade that succeeded changes: of the cluster, and of each node group. */
export type Upgraded = { change: ClusterChange; group(group: NodeGroup): NodeGroupChange }

/**
 * What was given to the cluster itself stays, attributes and labels; labels that it has of its template are the new one's from now on, and
 * those that its node groups have of it follow. The template is there still, since it counts as used from the request on.
 *
 * @throws TemplateGone
 */
export const upgraded = async (ports: UpgradePorts, cluster: Cluster, task: Upgrade): Promise<Upgraded> => {
  const template = await ports.stores.templates.get({ projectId: task.templateProjectId, id: task.templateId })
  if (template === undefined) {
    throw new TemplateGone(
      `The cluster template ${task.templateId} was deleted while ${cluster.name} was upgraded to it.`,
    )
  }
  const { id, projectId, spec } = template
  const { labels: before, templateLabels } = cluster.magnum
  const labels = followLabels(before, templateLabels, spec.labels)
  const magnum = {
    ...cluster.magnum,
    labels,
    clusterTemplateId: id,
    templateProjectId: projectId,
    templateLabels: spec.labels,
  }
  return {
    change: { magnum },
    group: (group) => ({
      ...(isAbout(task, group) ? { imageId: spec.imageId } : {}),
      ...changedLabels(group, followLabels(group.labels, before, labels)),
    }),
  }
}
