import type { ObserveKey } from '../../functions/core/cluster/observe-request.ts'
import type { DeliveryKey } from '../../functions/core/trigger/trigger.ts'
import { type Share, SharedRunner } from './shared-runner.ts'

const byProject = (share: number): Share<{ projectId: string }> => ({ ownerOf: ({ projectId }) => projectId, share })

/** Tries deliveries of triggers: a receiver that hangs has its 10 s each time, and takes places from its own project only. */
export const deliveryRunner = (run: (key: DeliveryKey) => Promise<void>): SharedRunner<DeliveryKey> =>
  new SharedRunner<DeliveryKey>({
    run,
    limit: 40,
    shares: [byProject(8), { ownerOf: ({ triggerId }) => triggerId, share: 2 }],
    waitingMax: 200,
  })

/** Observes clusters that somebody asked about. */
export const observationRunner = (run: (key: ObserveKey) => Promise<void>): SharedRunner<ObserveKey> =>
  new SharedRunner<ObserveKey>({ run, limit: 20, shares: [byProject(5)], waitingMax: 1_000 })
