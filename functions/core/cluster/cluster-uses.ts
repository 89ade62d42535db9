import type { Write } from '../../store/write.ts'
import type { Ports, TablePorts } from '../ports.ts'
import { byNumber, listInWords, quote } from '../values/wording.ts'
import { type Cluster, type ClusterChange, federationsOf, useMark } from './cluster.ts'
import { type TemplateRef, templatesInUse } from './cluster-task.ts'

/** A federation that uses a cluster. The name is undefined when it is gone by now. */
type UsingFederation = { id: string; name: string | undefined; projectId: string }

/** The federations that use a cluster, as it was read. */
export const usingFederations = (
  { stores }: Pick<TablePorts, 'stores'>,
  cluster: Cluster,
): Promise<UsingFederation[]> =>
  Promise.all(federationsOf(cluster).map(async (key) => ({ ...key, name: (await stores.federations.get(key))?.name })))

const nameOf = ({ id, name, projectId }: UsingFederation, own: string): string => {
  const named = name === undefined ? id : `${quote(name)} (${id})`
  return projectId === own ? named : `${named} of project ${projectId}`
}

const LENT =
  'Its project can unjoin or delete there; you can end the use with DELETE /v1/clusters/{cluster}/federations/{federation}, or by deleting the grant.'

const REMEDIES = {
  host: (those: string) => `Delete ${those} first.`,
  member: (those: string) => `Unjoin it from ${those} first.`,
  both: () => 'Delete what it hosts, and unjoin it from what it is a member of, first.',
}

/** Which federations use a cluster, and as what, and how to free it: why it can't be deleted. */
export const describeUses = (
  cluster: Pick<Cluster, 'name' | 'uses' | 'projectId'>,
  federations: readonly UsingFederation[],
): string => {
  const as = (role: 'host' | 'member') => {
    const those = federations.filter((it) => cluster.uses.includes(useMark(role, it, cluster.projectId)))
    const of = byNumber(those, 'of the federation', 'of the federations')
    return those.length === 0 ? [] : [`${role} ${of} ${listInWords(those.map((it) => nameOf(it, cluster.projectId)))}`]
  }
  const [hosts, joined] = [as('host'), as('member')]
  const role = hosts.length === 0 ? 'member' : joined.length === 0 ? 'host' : 'both'
  const remedy = REMEDIES[role](byNumber(federations, 'that federation', 'those federations'))
  const lent = federations.some(({ projectId }) => projectId !== cluster.projectId) ? ` ${LENT}` : ''
  return `Cluster ${quote(cluster.name)} is ${[...hosts, ...joined].join(' and ')}. ${remedy}${lent}`
}

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
