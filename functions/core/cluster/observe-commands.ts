import { createHash, randomBytes } from 'node:crypto'
import { StateConflict, TooManyRequests } from '../errors.ts'
import { projectEvent } from '../operation/events.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports, TablePorts } from '../ports.ts'
import { isAppError } from '../values/app-error.ts'
import { Secret } from '../values/secret.ts'
import { quote } from '../values/wording.ts'
import { type Cluster, federationUses } from './cluster.ts'
import { asked, type Hook, type ObserveKey, type ObserveRequest, watched } from './observe-request.ts'

type Stored = Pick<TablePorts, 'stores' | 'clock'>

/**
 * Has a cluster observed at once. While somebody waits for that already nothing is written.
 *
 * @throws TooManyRequests when the cluster was observed too often lately
 * @throws ClusterNotUsable when it is gone
 */
export const askToObserve = ({ stores, clock }: Stored, key: ObserveKey): Promise<ObserveRequest> =>
  retryOnConflict(async () => {
    const read = await stores.observeRequests.get(key)
    const result = asked(read, key, clock.now())
    if ('waits' in result) return result.waits
    if ('next' in result) {
      await stores.commit([stores.observeRequests.ask(read, result.next)])
      return result.next
    }
    const { retryAfterSeconds } = result
    throw new TooManyRequests(
      `The cluster was observed as often as it may be. Try again in ${retryAfterSeconds} s; the health sweep goes on.`,
      { details: { retryAfterSeconds } },
    )
  })

/**
 * Has a cluster observed at once, and each minute for a while: for events of the cloud, which tell of what begins. Any number of them at a time is one.
 *
 * @throws ClusterNotUsable when it is gone
 */
export const watchCluster = ({ stores, clock }: Stored, key: ObserveKey): Promise<void> =>
  retryOnConflict(async () => {
    const read = await stores.observeRequests.get(key)
    const next = watched(read, key, clock.now())
    if (next !== undefined) await stores.commit([stores.observeRequests.ask(read, next)])
  })

/**
 * Has what is derived from a cluster follow a change of it that was just stored: an observation tells its federations. Where that can't be asked for now,
 * the next sweep makes it, since its federations are not informed yet.
 */
export const followSoon = async (ports: Stored & Pick<Ports, 'log'>, cluster: Cluster): Promise<void> => {
  const { projectId, id: clusterId } = cluster
  if (!federationUses(cluster).some(({ side }) => side === 'member')) return
  try {
    await askToObserve(ports, { projectId, clusterId })
  } catch (error) {
    if (!isAppError(error)) throw error
    ports.log.info('observation not asked for; the sweep makes it', { projectId, clusterId, error: error.name })
  }
}

/** Hooks of a cluster at most. */
const HOOKS_MAX = 20
/** Bytes of a token: nobody guesses one. */
const TOKEN_BYTES = 32

/** What is stored of a token, and found by it: who measures the time of a comparison learns of the digest only. */
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Creates a hook; its token is shown this once. @throws StateConflict when the cluster has as many as it may */
export const createHook = async (
  ports: Stored & Pick<TablePorts, 'newId' | 'caller'>,
  desired: ObserveKey & Pick<Hook, 'userId' | 'name'>,
): Promise<{ hook: Hook; token: Secret }> => {
  const { stores, clock, newId } = ports
  if ((await stores.hooks.listOf(desired)).length >= HOOKS_MAX) {
    throw new StateConflict(`The cluster has ${HOOKS_MAX} hooks, which is as many as it may. Delete one first.`)
  }
  const token = new Secret(randomBytes(TOKEN_BYTES).toString('base64url'))
  const hook = { ...desired, id: newId(), digest: digestOf(token.reveal()), createdAt: clock.now().toISOString() }
  const message = `Hook ${quote(hook.name)} (${hook.id}) of cluster ${hook.clusterId} was created.`
  const told = projectEvent(ports, hook.projectId, { reason: 'HookCreate', message })
  await stores.commit([stores.hooks.insert(hook), told])
  return { hook, token }
}

/** Removes what is left of a cluster that is gone: its hooks, whose URLs are 404 already, and the request to observe it. */
export const forgetObserving = async ({ stores }: Pick<TablePorts, 'stores'>, key: ObserveKey): Promise<void> => {
  const hooks = await stores.hooks.listOf(key)
  await stores.commit([...hooks.map((hook) => stores.hooks.remove(hook)), stores.observeRequests.remove(key)])
}
