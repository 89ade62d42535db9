import type { TablePorts } from '../../core/ports.ts'
import { followSelector } from '../../core/selector/follow.ts'
import { loggedError } from '../../core/values/app-error.ts'
import { beat } from '../heartbeat.ts'
import { type Items, inShares, type Shares } from '../in-shares.ts'

type FederationKey = { projectId: string; id: string }

/** Federations that are followed at a time, and how many of them are one project's. */
const SHARES: Shares = { limit: 10, share: 3, budgetMs: 120_000, turn: 0 }

/** Follows one; a fault is logged, and tried again by the next run. */
export const follow = async (ports: TablePorts, key: FederationKey): Promise<void> => {
  try {
    await followSelector(ports, key)
  } catch (error) {
    const reported = loggedError(error)
    ports.log.error('selector not followed', { ...key, ...reported })
  }
}

async function* distinct(keys: Items<FederationKey>) {
  const seen = new Set<string>()
  for await (const key of keys) {
    if (seen.has(key.id)) continue
    seen.add(key.id)
    yield key
  }
}

/** Follows these, each once. @returns how many were left to the schedule */
export const followAll = async (ports: TablePorts, keys: Items<FederationKey>): Promise<{ putOff: number }> => ({
  putOff: (await inShares(distinct(keys), SHARES, (key) => follow(ports, key))).length,
})

/** Follows all for which something waits: what has to wait for its turn, and what was lost on its way. */
export const followDue = async (ports: TablePorts): Promise<{ putOff: number }> => {
  const report = await followAll(ports, ports.stores.selectors.due(ports.clock.now().toISOString()))
  await beat(ports, 'selectors')
  return report
}
