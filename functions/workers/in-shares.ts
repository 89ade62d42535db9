/** How much of a run belongs to one project. */
export type Shares = {
  /** Items acted on at a time. */
  limit: number
  /** Of these at most so many of one project. */
  share: number
  /** Milliseconds for all items of one project together, after which none of it is begun in this run. */
  budgetMs: number
  /** Milliseconds of each item that do not count for that: what is done sooner takes nothing from others. Default: none. */
  freeMs?: number
  /** Milliseconds after which nothing is begun in this run. Default: no end. */
  runMs?: number
  /** Which item of a project comes first, so that another one is left out each time: any number. */
  turn: number
}

/** Found one by one, or all there. */
export type Items<T> = AsyncIterable<T> | Iterable<T>
type Owned = { projectId: string }
type Owner<T> = { waiting: T[]; running: number; spentMs: number }

/** From the item on whose turn it is. */
const turned = <T>(items: readonly T[], turn: number): T[] => {
  const first = items.length === 0 ? 0 : turn % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

const byOwner = async <T extends Owned>(items: Items<T>, turn: number): Promise<Owner<T>[]> => {
  const owners = new Map<string, T[]>()
  for await (const item of items) {
    const own = owners.get(item.projectId)
    if (own === undefined) owners.set(item.projectId, [item])
    else own.push(item)
  }
  return [...owners.values()].map((own) => ({ waiting: turned(own, turn), running: 0, spentMs: 0 }))
}

/**
 * Runs `act` on each item, at most `limit` at a time and `share` of one project, projects in turn: one whose items hang takes no more than its share of places and
 * of time from the others. Resolves when all are through. Faults are `act`'s to handle.
 *
 * @returns those that were left out because their project, or the run, had used up its time
 */
export const inShares = async <T extends Owned>(
  items: Items<T>,
  shares: Shares,
  act: (item: T) => Promise<void>,
): Promise<T[]> => {
  const owners = await byOwner(items, shares.turn)
  const { promise: through, resolve, reject } = Promise.withResolvers<void>()
  const { freeMs = 0, runMs = Number.POSITIVE_INFINITY } = shares
  const runBegun = performance.now()
  let active = 0
  /** The next that may begin; its owner goes to the end of the line. */
  const next = (): { owner: Owner<T>; item: T } | undefined => {
    if (performance.now() - runBegun >= runMs) return undefined
    const index = owners.findIndex(
      ({ waiting, running, spentMs }) => waiting.length > 0 && running < shares.share && spentMs < shares.budgetMs,
    )
    const [owner] = index < 0 ? [] : owners.splice(index, 1)
    const item = owner?.waiting.shift()
    if (owner === undefined || item === undefined) return undefined
    owners.push(owner)
    return { owner, item }
  }
  const run = async ({ owner, item }: { owner: Owner<T>; item: T }): Promise<void> => {
    const begun = performance.now()
    active += 1
    owner.running += 1
    await act(item)
    active -= 1
    owner.running -= 1
    owner.spentMs += Math.max(0, performance.now() - begun - freeMs)
    begin()
  }
  const begin = (): void => {
    while (active < shares.limit) {
      const one = next()
      if (one === undefined) break
      run(one).catch(reject)
    }
    if (active === 0) resolve()
  }
  begin()
  await through
  return owners.flatMap(({ waiting }) => waiting)
}
