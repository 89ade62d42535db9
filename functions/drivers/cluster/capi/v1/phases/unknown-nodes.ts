import { isIP } from 'node:net'
import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { byNumber, listInWords, quote } from '../../../../../core/values/wording.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { addressOf, isCalled } from '../status/addresses.ts'
import { livingMachines, machinesOf, makerOf } from '../status/groups.ts'

const NAMES_MAX = 5
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A name that one of its nodes may have had: what they are called by begins with what makes them; addresses and ids tell nothing. */
const mayHaveBeen = (snapshot: Snapshot, group: NodeGroup, name: string): boolean =>
  isIP(name) !== 0 || ID.test(name) || name.startsWith(`${makerOf(snapshot, group)?.metadata.name}-`)

const isKnown = (snapshot: Snapshot, group: NodeGroup, name: string): boolean => {
  if (machinesOf(snapshot, group).some((machine) => isCalled(machine, name))) return true
  const isOther = snapshot.machines.some((machine) => isCalled(machine, name))
  return !isOther && mayHaveBeen(snapshot, group, name)
}

/**
 * What is wrong with the nodes that a resize is to remove: one that the group never had would seem removed. Those that are gone are no fault (rule
 * C16). Undefined when nothing is.
 */
export const unknownNodes = ({ task }: ClusterContext, snapshot: Snapshot, group: NodeGroup): string | undefined => {
  if (task?.kind !== 'resize' || snapshot.cluster === undefined) return undefined
  const unknown = task.nodesToRemove.filter((name) => !isKnown(snapshot, group, name))
  if (unknown.length === 0) return undefined
  const nodes = livingMachines(snapshot, group).map((machine) => addressOf(machine) ?? machine.metadata.name)
  return (
    `Node group ${group.name} has no ${byNumber(unknown, 'node', 'nodes')} ${listInWords(unknown.map(quote), NAMES_MAX)}. ` +
    (nodes.length === 0 ? 'It has none at all.' : `Its nodes are ${listInWords(nodes, NAMES_MAX)}.`)
  )
}
