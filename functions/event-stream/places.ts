import { PROJECT_STREAMS_MAX, type StreamPlaces } from '../api/events/event-stream.ts'
import type { TablePorts } from '../core/ports.ts'

type Holder = {
  /** Of this process, which has one stream at a time. */
  id: string
  /** After that a place counts as left by one that was killed. */
  leaseMs: number
}

/** Places in the table, since each stream has a process of its own. All of them together are bounded by the function's reserved concurrency. */
export const storedPlaces = (
  { stores, clock }: Pick<TablePorts, 'stores' | 'clock'>,
  { id, leaseMs }: Holder,
): StreamPlaces => {
  const leaving = new Set<Promise<void>>()
  return {
    take: async (projectId) => {
      const until = new Date(clock.now().getTime() + leaseMs).toISOString()
      const place = await stores.streamPlaces.take({ projectId, id, until, max: PROJECT_STREAMS_MAX })
      if (place === undefined) return undefined
      return () => void leaving.add(stores.streamPlaces.leave({ projectId, id, place }))
    },
    settled: async () => {
      const all = [...leaving]
      leaving.clear()
      await Promise.all(all)
    },
  }
}
