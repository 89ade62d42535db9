/**
 * Runs independent calls side by side and waits for all of them, also when one fails: no call goes on behind the back of who asked, and what the
 * others made is noted. Then the first failure is thrown.
 */
export const settleAll = async <const T extends readonly (() => Promise<unknown>)[]>(
  calls: T,
): Promise<{ -readonly [K in keyof T]: Awaited<ReturnType<T[K]>> }> => {
  const results = await Promise.allSettled(calls.map((call) => call()))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return results.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as {
    -readonly [K in keyof T]: Awaited<ReturnType<T[K]>>
  }
}
