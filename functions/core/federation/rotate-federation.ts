import type { FederationKey } from '../../store/federation.store.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation } from '../operation/launch.ts'
import type { Failure } from '../operation/operation.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import { openFederation, type Target } from '../operation/subjects.ts'
import type { TablePorts } from '../ports.ts'
import { type Condition, withCondition } from '../values/status.ts'
import { CERTIFICATES_CURRENT, type Federation, isInitialized } from './federation.ts'

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

type EndPorts = Pick<TablePorts, 'stores' | 'clock' | 'newId'>
type ConditionFields = Pick<Condition, 'status' | 'reason' | 'message'>

/** Seconds after which a failed renewal is tried again: many tries fit between `renewAfter` and the expiry, which is months. */
const AGAIN_SECONDS = 3600

/** Condition `CertificatesCurrent`: `Renewed`, `Renewing` with what is waited for, or why the last renewal failed. */
export const certificatesCurrent = (
  { clock }: Pick<TablePorts, 'clock'>,
  federation: Federation,
  said: ConditionFields,
): Condition[] =>
  withCondition(federation.conditions, {
    type: CERTIFICATES_CURRENT,
    ...said,
    observedRevision: federation.revision + 1,
    changedAt: clock.now().toISOString(),
  })

/** The new certificates are in force. The status stays as it is. @throws OperationSuperseded */
export const endFederationRotate = (ports: EndPorts, target: Target, notes: readonly string[]): Promise<void> =>
  retryOnConflict(async () => {
    const federation = await openFederation(ports, target)
    const message = [`The certificates of federation ${federation.name} were renewed.`, ...notes].join(' ')
    await ports.stores.commit([
      ports.stores.federations.change(federation, {
        operation: null,
        conditions: certificatesCurrent(ports, federation, { status: 'True', reason: 'Renewed', message }),
        updatedAt: ports.clock.now().toISOString(),
      }),
      ownerEvent(ports, 'federation', federation, { action: 'rotate', outcome: 'success', reason: 'Renewed', message }),
    ])
  })

/** Certificates are not renewed, which is tried again in an hour. The status stays as it is. @throws OperationSuperseded */
export const endFederationRotateFailed = (ports: EndPorts, target: Target, failure: Failure): Promise<void> =>
  retryOnConflict(async () => {
    const federation = await openFederation(ports, target)
    const now = ports.clock.now()
    await ports.stores.commit([
      ports.stores.federations.change(federation, {
        operation: null,
        renewAfter: new Date(now.getTime() + AGAIN_SECONDS * 1000).toISOString(),
        conditions: certificatesCurrent(ports, federation, { status: 'False', ...failure }),
        updatedAt: now.toISOString(),
      }),
      ownerEvent(ports, 'federation', federation, { action: 'rotate', outcome: 'failure', ...failure }),
    ])
  })
