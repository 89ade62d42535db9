import type { FederationKey } from '../../store/federation.store.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation } from '../operation/launch.ts'
import type { TablePorts } from '../ports.ts'
import { type Federation, isInitialized } from './federation.ts'

/** True when certificates are due and nothing else runs on the federation itself. Members may join and leave meanwhile. */
const isDue = (federation: Federation, now: string): boolean =>
  federation.operation === null &&
  !federation.status.startsWith('DELETE_') &&
  isInitialized(federation) &&
  federation.renewAfter !== null &&
  federation.renewAfter <= now

/** Renews a federation's certificates if they are due; true when that began. @throws RevisionConflict when something else began on the federation */
export const rotateFederation = async (ports: TablePorts, key: FederationKey, now: string): Promise<boolean> => {
  const federation = await ports.stores.federations.get(key)
  if (federation === undefined || !isDue(federation, now)) return false
  const operation = newOperation(ports, 'rotate', { deadlineSeconds: DEADLINE_SECONDS['federation-rotate'] })
  await ports.stores.commit([
    ports.stores.federations.change(federation, { operation }),
    ownerEvent(ports, 'federation', federation, {
      action: 'rotate',
      outcome: 'pending',
      reason: 'RenewalDue',
      message: `The certificates of federation ${federation.name} are being renewed.`,
    }),
  ])
  const { projectId, id: entityId } = federation
  await launch(ports, { flow: 'federation-rotate', projectId, entityId, operation })
  return true
}
