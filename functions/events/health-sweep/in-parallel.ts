/** Runs `act` on each item as it comes, at most `limit` at a time; resolves when all are through. Faults are `act`'s to handle. */
export const inParallel = async <T>(
  items: AsyncIterable<T>,
  limit: number,
  act: (item: T) => Promise<void>,
): Promise<void> => {
  const iterator = items[Symbol.asyncIterator]()
  const worker = async (): Promise<void> => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) await act(next.value)
  }
  await Promise.all(Array.from({ length: limit }, worker))
}
