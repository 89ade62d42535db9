import { setTimeout as sleep } from 'node:timers/promises'
import { managementClients } from '../../core/access/management-access.ts'
import { begun, ended, type ObserveKey, type ObserveRequest } from '../../core/cluster/observe-request.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Ports } from '../../core/ports.ts'
import { loggedError } from '../../core/values/app-error.ts'
import { SWEEP_LIMITS } from '../../kubernetes/bounds.ts'
import { connectWithin } from '../../kubernetes/connect-until.ts'
import { type Items, inShares, type Shares } from '../in-shares.ts'
import { observeCluster } from './observe-cluster.ts'
import { isWatched } from './verdict.ts'

/** Between an observation that differs from the health that is shown and its repetition, milliseconds: a lost packet is over by then. */
const REPEAT_MS = 2_000

/** Takes the observation for itself; undefined when it is somebody else's, or nobody's any more. */
const claim = ({ stores, clock }: Ports, key: ObserveKey): Promise<ObserveRequest | undefined> =>
  retryOnConflict(async () => {
    const read = await stores.observeRequests.get(key)
    const next = read && begun(read, clock.now())
    if (read === undefined || next === undefined) return undefined
    await stores.commit([stores.observeRequests.replace(read, next)])
    return next
  })

/** Whoever asked meanwhile is seen in the table's stream by this write. One whose lease was taken over has nothing to end. */
const release = ({ stores, clock }: Ports, claimed: ObserveRequest): Promise<void> =>
  retryOnConflict(async () => {
    const read = await stores.observeRequests.get(claimed)
    if (read === undefined || read.leaseUntil !== claimed.leaseUntil) return
    await stores.commit([stores.observeRequests.replace(read, ended(read, clock.now()))])
  })

/** Observes a cluster; once more when that differs from the health that is shown: two that agree change it. */
const observeTwice = async (all: Ports, { projectId, clusterId: id }: ObserveKey, repeatMs: number): Promise<void> => {
  const ports = { ...all, connect: connectWithin(all.connect, SWEEP_LIMITS) }
  const clients = managementClients(ports)
  try {
    for (const wait of [repeatMs, undefined]) {
      const cluster = await ports.stores.clusters.get({ projectId, id })
      if (cluster === undefined || !isWatched(cluster)) return
      const { isSettled } = await observeCluster({ ports, clients }, cluster)
      if (isSettled || wait === undefined) return
      await sleep(wait)
    }
  } finally {
    clients.close()
  }
}

/**
 * Observes a cluster if somebody waits for that: one observation at a time, whoever calls this how often. A fault of ours is logged; the sweep goes on.
 *
 * @param repeatMs before an observation that differs is repeated. Default 2 s
 */
export const observeRequested = async (ports: Ports, key: ObserveKey, repeatMs = REPEAT_MS): Promise<void> => {
  try {
    const claimed = await claim(ports, key)
    if (claimed === undefined) return
    await observeTwice(ports, key, repeatMs).finally(() => release(ports, claimed))
  } catch (error) {
    const reported = loggedError(error)
    ports.log.error('cluster not observed', { ...key, ...reported })
  }
}

/** Observed in parallel, and how much of that is one project's. */
const SHARES: Shares = { limit: 50, share: 10, budgetMs: 60_000, turn: 0 }

/** Observes these, as far as somebody waits for it. @returns how many were left to the sweep */
export const observeAll = async (ports: Ports, keys: Items<ObserveKey>): Promise<{ putOff: number }> => ({
  putOff: (await inShares(keys, SHARES, (key) => observeRequested(ports, key))).length,
})

/** Observes what somebody waits for and nobody has begun, or ended: what was lost on its way. */
export const observeDue = (ports: Ports): Promise<{ putOff: number }> =>
  observeAll(ports, ports.stores.observeRequests.due(ports.clock.now().toISOString()))
