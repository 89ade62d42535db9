import type { Cluster, ClusterChange } from '../domain/cluster.ts'
import type { ClusterTask } from '../domain/cluster-task.ts'
import type { ClusterTemplate } from '../domain/cluster-template.ts'
import type { NodeGroupChange } from '../domain/node-group.ts'
import type { Ports } from '../runtime/ports.ts'
import { TemplateGone } from '../store/errors.ts'
import type { Write } from '../store/write.ts'

type UpgradePorts = Pick<Ports, 'stores'>
type Upgrade = Extract<ClusterTask, { kind: 'upgrade' }>

/** The template that a cluster was made from or upgraded to last; a built-in one is not stored. */
export const usedTemplate = ({ magnum }: Cluster): { projectId: string; id: string } | null =>
  magnum.templateProjectId === null ? null : { projectId: magnum.templateProjectId, id: magnum.clusterTemplateId }

/** Moves the template's use to the new one. */
const movedUse = ({ stores }: UpgradePorts, cluster: Cluster, template: ClusterTemplate): Write[] => {
  const before = usedTemplate(cluster)
  if (before?.id === template.id) return []
  return [stores.templates.countUse(template, 1), ...(before === null ? [] : [stores.templates.countUse(before, -1)])]
}

/** What an upgrade that succeeded changes: of the cluster, of the node groups that it was about, and beside them. */
export type Upgraded = { change: ClusterChange; group: NodeGroupChange; writes: Write[] }

/**
 * The cluster's own attributes and labels stay; they are compared with the new template's from now on.
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
  const magnum = {
    ...cluster.magnum,
    clusterTemplateId: id,
    templateProjectId: projectId,
    templateLabels: spec.labels,
  }
  return { change: { magnum }, group: { imageId: spec.imageId }, writes: movedUse(ports, cluster, template) }
}
