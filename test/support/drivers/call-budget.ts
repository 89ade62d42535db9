import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'

/** What a killed process looks like from outside: an error that no code handles. Not an AppError on purpose. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

/** Methods that may change something; `post` does unless it is a review, and none does in a dry run. */
const WRITES: readonly string[] = ['create', 'apply', 'patch', 'put', 'delete']

const isDryRun = (options: unknown): boolean =>
  typeof options === 'object' && options !== null && 'dryRun' in options && options.dryRun === true

const isWrite = (method: string, [first, , options]: readonly unknown[]): boolean =>
  (WRITES.includes(method) && !isDryRun(options)) || (method === 'post' && !/reviews|dryRun=All/.test(String(first)))

/**
 * Counts the calls of several clients, and kills after a number of writes. Between two writes nothing changes in the clusters, so a
 * kill anywhere leaves what a kill right after a write leaves.
 */
export class CallBudget {
  /** Calls so far. */
  calls = 0
  /** Those that may have changed something, as `method path`. */
  writes: string[] = []
  /** Kills so far. */
  kills = 0
  #left = Number.POSITIVE_INFINITY

  /** The write number `count` from now is carried out, and its answer is lost. */
  killAfter(count: number): void {
    this.#left = count
  }

  lift(): void {
    this.#left = Number.POSITIVE_INFINITY
  }

  reset(): void {
    this.calls = 0
    this.writes = []
  }

  /** A call was carried out. @throws Killed */
  note(method: string, args: readonly unknown[]): void {
    this.calls += 1
    if (!isWrite(method, args)) return
    this.writes.push(`${method} ${JSON.stringify(args[0])}`)
    this.#left -= 1
    if (this.#left !== 0) return
    this.kills += 1
    throw new Killed('killed by the test')
  }
}

/** A client whose calls are counted. */
export const counted = (client: KubernetesClient, budget: CallBudget): KubernetesClient =>
  new Proxy(client, {
    get: (target, property, receiver) => {
      const value: unknown = Reflect.get(target, property, receiver)
      if (typeof value !== 'function' || property === 'close') return value
      return async (...args: unknown[]) => {
        const answer: unknown = await value.apply(target, args)
        budget.note(String(property), args)
        return answer
      }
    },
  })
