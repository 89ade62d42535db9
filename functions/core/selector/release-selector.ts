import type { Write } from '../../store/write.ts'
import { StateConflict } from '../errors.ts'
import { type Federation, SELECTOR_HELD } from '../federation/federation.ts'
import { decideOn } from '../federation/federation-rules.ts'
import { ownerEvent } from '../operation/events.ts'
import type { TablePorts } from '../ports.ts'
import { quote } from '../values/wording.ts'

/** What commands about selectors use. */
export type Commands = Pick<TablePorts, 'stores' | 'clock' | 'newId' | 'caller'>

/** @throws StateConflict while it is being deleted */
export const requireThere = ({ name, id, status }: Federation): void => {
  if (!status.startsWith('DELETE_')) return
  throw new StateConflict(`Federation ${quote(name)} (${id}) is ${status}; its members can't be changed any more.`)
}

/** Something that begins and ends no change of the status. */
export const tellOf = (ports: Commands, federation: Federation, reason: string, message: string): Write =>
  ownerEvent(ports, 'federation', federation, { action: 'update', outcome: 'success', reason, message, notify: false })

/** Lets go what is held. @throws StateConflict where nothing is */
export const releaseSelector = (ports: Commands, seen: Federation): Promise<void> =>
  decideOn(ports.stores, seen, async (federation) => {
    requireThere(federation)
    const { selection, name, id } = federation
    if (!selection || selection.held === null) {
      throw new StateConflict(
        `Federation ${quote(name)} (${id}) holds no members back. Its condition ${SELECTOR_HELD} says when it does.`,
      )
    }
    const { held } = selection
    await ports.stores.commit([
      ports.stores.federations.change(federation, { selection: { ...selection, held: null, isReleased: true } }),
      tellOf(ports, federation, 'SelectorReleased', `${held} members leave, as the guards let them.`),
    ])
  })
