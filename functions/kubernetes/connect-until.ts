import type { Connect, KubernetesClient, ReadLimits } from './client.ts'
import { RequestTimedOut } from './errors.ts'

/**
 * Clients that begin no call after a moment (of `performance.now()`), whatever is still to be done: nobody waits for it any more, and whoever asks
 * again would go on beside it. A call under way ends by its own time-out.
 *
 * Calls after it throw RequestTimedOut.
 */
export const connectUntil =
  (connect: Connect, untilMs: number): Connect =>
  (connection, limits) => {
    const client = connect(connection, limits)
    const inTime =
      <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
      async (...args: Args): Promise<Answer> => {
        if (performance.now() < untilMs) return call.apply(client, args)
        throw new RequestTimedOut(
          `${new URL(connection.server).host} was not asked any more: the step had no time left. Check how long its API server takes to answer.`,
        )
      }
    return bounded(client, inTime)
  }

/** Clients that read no more than this, unless whoever opens one says how much. */
export const connectWithin =
  (connect: Connect, limits: ReadLimits): Connect =>
  (connection, own = limits) =>
    connect(connection, own)

type Bound = <Args extends unknown[], Answer>(
  call: (...args: Args) => Promise<Answer>,
) => (...args: Args) => Promise<Answer>

const bounded = (client: KubernetesClient, inTime: Bound): KubernetesClient => ({
  get: inTime(client.get),
  list: inTime(client.list),
  create: inTime(client.create),
  apply: inTime(client.apply),
  patch: inTime(client.patch),
  delete: inTime(client.delete),
  post: inTime(client.post),
  put: inTime(client.put),
  raw: inTime(client.raw),
  version: inTime(client.version),
  ...(client.readHealth === undefined ? {} : { readHealth: inTime(client.readHealth) }),
  reach: inTime(client.reach),
  forward: inTime(client.forward),
  close: () => client.close(),
})
