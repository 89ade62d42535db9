import { setTimeout as delay } from 'node:timers/promises'
import { Api } from './api.ts'
import { removeRemains } from './look.ts'
import type { Stage } from './stage.ts'
import { federationPath, type Made, removeProfileApiAgain } from './story.ts'

/** How long fedplane may take to remove a federation in good order, milliseconds; then it is forced. */
const PATIENCE_MS = 60_000

const removeFederation = async (api: Api, made: Made, query: string): Promise<void> => {
  const path = federationPath(made.federationId)
  await api.delete(`${path}${query}`)
  await api.gone(path)
}

/** Through fedplane: first in good order, then by force. */
const throughFedplane = async (url: string, made: Made): Promise<void> => {
  for (const query of ['', '?force=true']) {
    const timeout = new AbortController()
    const timer = delay(PATIENCE_MS, undefined, { ref: false, signal: timeout.signal })
    timer.then(
      () => timeout.abort(new Error(`not gone within ${PATIENCE_MS / 1000} s`)),
      () => undefined,
    )
    try {
      return await removeFederation(new Api(url, { signal: timeout.signal }), made, query)
    } catch (error) {
      if (query !== '') throw error
    } finally {
      timeout.abort()
    }
  }
}

/**
 * After a failure in somebody's own clusters: takes away what the demo made there, through fedplane and then directly, by label.
 * Returns what could not be done, one sentence each.
 */
export const cleanUp = async (stage: Stage, made: Made): Promise<string[]> => {
  const { fedplane, clients, set } = stage
  const faults: string[] = []
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      faults.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const { federationId } = made
  if (federationId === undefined) return faults
  await attempt('removing the federation', () => throughFedplane(fedplane.url, made))
  for (const [index, client] of clients.entries()) {
    await attempt(`cleaning ${set.clusters[index]?.name}`, () => removeRemains(client, federationId))
  }
  await attempt('removing the ClusterProfile API', () => removeProfileApiAgain(stage, made))
  return faults
}
