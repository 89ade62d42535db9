import type { Cluster } from './cluster.ts'
import type { ClusterTask } from './cluster-task.ts'

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
