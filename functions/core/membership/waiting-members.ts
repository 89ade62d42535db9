import { isInitialized } from '../federation/federation.ts'
import type { Failure } from '../operation/failure.ts'
import { launch } from '../operation/launch.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import type { JoiningMembership, Membership } from './membership.ts'
import { joinFailedWrites } from './membership-end.ts'
import { joining, launchOf } from './membership-states.ts'

type WaitingPorts = Pick<Ports, 'stores' | 'executions' | 'clock' | 'newId' | 'log'>
type Key = { projectId: string; id: string }

/** Waiting → Joining; undefined when it is no longer waiting. */
const sendOne = (ports: WaitingPorts, seen: Membership, changeId: string): Promise<JoiningMembership | undefined> =>
  retryOnConflict(async () => {
    const membership = await ports.stores.memberships.get(seen)
    if (membership?.state !== 'Waiting') return undefined
    const next = joining(ports, membership, changeId)
    await ports.stores.commit([ports.stores.memberships.replace(membership, next)])
    return next
  })

/**
 * Sends the memberships that waited for the control plane on to join, each with its own execution. Those that are joining already are
 * launched again, which does nothing unless their execution was never started. Nothing happens before the control plane came up.
 */
export const sendWaiting = async (ports: WaitingPorts, key: Key): Promise<void> => {
  const federation = await ports.stores.federations.get(key)
  if (federation === undefined || !isInitialized(federation)) return
  const memberships = await ports.stores.memberships.listOf(key)
  await Promise.all(
    memberships.map(async (seen) => {
      const joins = seen.state === 'Joining' ? seen : await sendOne(ports, seen, federation.change?.id ?? seen.changeId)
      if (joins !== undefined) await launch(ports, launchOf(joins))
    }),
  )
}

/** Ends the memberships that waited for a control plane that will not come. */
export const failWaiting = async (ports: WaitingPorts, key: Key, failure: Failure): Promise<void> => {
  const memberships = await ports.stores.memberships.listOf(key)
  const waiting = memberships.filter((membership) => membership.state === 'Waiting')
  await Promise.all(
    waiting.map((seen) =>
      retryOnConflict(async () => {
        const membership = await ports.stores.memberships.get(seen)
        if (membership?.state !== 'Waiting') return
        await ports.stores.commit(joinFailedWrites(ports, membership, failure, []))
      }),
    ),
  )
}
