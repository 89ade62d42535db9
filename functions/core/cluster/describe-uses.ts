import type { TablePorts } from '../ports.ts'
import { byNumber, listInWords, quote } from '../values/wording.ts'
import { type Cluster, federationsOf } from './cluster.ts'

/** A federation that uses a cluster. The name is undefined when it is gone by now. */
export type UsingFederation = { id: string; name: string | undefined }

/** The federations that use a cluster, as it was read. */
export const usingFederations = (
  { stores }: Pick<TablePorts, 'stores'>,
  cluster: Cluster,
): Promise<UsingFederation[]> =>
  Promise.all(
    federationsOf(cluster).map(async (id) => ({
      id,
      name: (await stores.federations.get({ projectId: cluster.projectId, id }))?.name,
    })),
  )

const nameOf = ({ id, name }: UsingFederation): string => (name === undefined ? id : `${quote(name)} (${id})`)

const REMEDIES = {
  host: (those: string) => `Delete ${those} first.`,
  member: (those: string) => `Unjoin it from ${those} first.`,
  both: () => 'Delete what it hosts, and unjoin it from what it is a member of, first.',
}

/** Which federations use a cluster, and as what, and how to free it: why it can't be deleted. */
export const describeUses = (
  cluster: Pick<Cluster, 'name' | 'uses'>,
  federations: readonly UsingFederation[],
): string => {
  const as = (role: 'host' | 'member') => {
    const those = federations.filter(({ id }) => cluster.uses.includes(`${role}:${id}`))
    const of = byNumber(those, 'of the federation', 'of the federations')
    return those.length === 0 ? [] : [`${role} ${of} ${listInWords(those.map(nameOf))}`]
  }
  const [hosts, joined] = [as('host'), as('member')]
  const role = hosts.length === 0 ? 'member' : joined.length === 0 ? 'host' : 'both'
  const remedy = REMEDIES[role](byNumber(federations, 'that federation', 'those federations'))
  return `Cluster ${quote(cluster.name)} is ${[...hosts, ...joined].join(' and ')}. ${remedy}`
}
