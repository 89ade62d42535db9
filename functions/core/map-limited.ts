/** Calls at once: enough to hide a round trip, few enough for one connection pool. */
const AT_ONCE = 16

/** `Promise.all` over many items, 16 at a time; results in the items' order. Ends at the first failure. */
export const mapLimited = async <T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = new Array(items.length)
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await call(item)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker))
  return results
}
