import type { Write } from '../../store/write.ts'
import type { Ports } from '../ports.ts'
import type { Cluster, ClusterChange } from './cluster.ts'
import { type TemplateRef, templatesInUse } from './task-templates.ts'

const without = (templates: readonly TemplateRef[], others: readonly TemplateRef[]): TemplateRef[] =>
  templates.filter(({ projectId, id }) => !others.some((other) => other.projectId === projectId && other.id === id))

/**
 * Keeps the templates' counts of uses in step with a cluster: goes into every commit that changes what it is made from, what runs on it
 * or what waits, so that the counts balance whatever becomes of an upgrade.
 *
 * @param change of the cluster in that commit; null: it goes
 * @returns writes whose conflict is TemplateGone, for a template that is new to the cluster
 */
export const movedTemplateUses = (
  { stores }: Pick<Ports, 'stores'>,
  cluster: Cluster,
  change: ClusterChange | null,
): Write[] => {
  const before = templatesInUse(cluster)
  const after = change === null ? [] : templatesInUse({ ...cluster, ...change })
  return [
    ...without(after, before).map((template) => stores.templates.countUse(template, 1)),
    ...without(before, after).map((template) => stores.templates.countUse(template, -1)),
  ]
}
