import { createInNamespace } from '../bootstrap.ts'
import type { Cluster } from '../cluster.ts'
import type { ApiObject } from '../types.ts'

const EVENTS = { group: '', plural: 'events' }

/** Writes an event about an object, once for each reason and message, as the recorder's counting does. */
export const recordEvent = (
  cluster: Cluster,
  about: ApiObject,
  event: { type: 'Normal' | 'Warning'; reason: string; message: string },
): void => {
  const { name, namespace = 'default', uid = '' } = about.metadata
  const same = cluster.store.list(EVENTS, namespace).some((stored) => {
    const { involvedObject } = stored as unknown as { involvedObject: { uid: string } }
    return involvedObject.uid === uid && stored.reason === event.reason && stored.message === event.message
  })
  if (same) return
  const now = cluster.timestamp()
  const suffix = cluster.store.revision.padStart(16, '0')
  createInNamespace(
    cluster,
    EVENTS,
    { kind: 'Event', namespace, name: `${name}.${suffix}` },
    {
      involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid },
      ...event,
      source: { component: 'simulated' },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    },
  )
}
