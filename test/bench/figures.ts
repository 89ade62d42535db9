/** What was measured of one kind of request. */
export type Figures = {
  name: string
  samples: number
  /** Milliseconds, one request at a time. */
  p50: number
  p99: number
  /** With `CONCURRENCY` requests at a time. */
  perSecond: number
}

/** Requests at a time where rates are measured. */
export const CONCURRENCY = 8

/** The smallest value that at least this share of all values does not exceed. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** How long it takes, milliseconds. */
export const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now()
  await act()
  return performance.now() - begin
}

/** Calls it `count` times, so many at a time. */
export const inParallel = async (count: number, concurrency: number, act: (index: number) => Promise<unknown>) => {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: Math.min(count, concurrency) }, work))
}

/** One kind of request; it is told how many were sent before. */
export type Probe = { name: string; send: (index: number) => Promise<unknown> }

const rateOf = async ({ send }: Probe, from: number, count: number): Promise<number> => {
  const milliseconds = await timed(() => inParallel(count, CONCURRENCY, (index) => send(from + index)))
  return (count * 1000) / milliseconds
}

/**
 * Measures several kinds of request. They take turns, so that whatever else the machine does meets all of them alike; the first turns are not
 * counted, because they are the compiler's.
 */
export const measure = async (probes: readonly Probe[], rounds: number): Promise<Figures[]> => {
  const warmUp = Math.max(3, Math.ceil(rounds / 8))
  const times = probes.map((): number[] => [])
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const [index, { send }] of probes.entries()) {
      const milliseconds = await timed(() => send(round))
      if (round >= warmUp) times[index]?.push(milliseconds)
    }
  }
  const figures: Figures[] = []
  for (const [index, probe] of probes.entries()) {
    const own = times[index] ?? []
    const perSecond = await rateOf(probe, warmUp + rounds, Math.max(2 * CONCURRENCY, Math.ceil(rounds / 2)))
    figures.push({
      name: probe.name,
      samples: own.length,
      p50: percentile(own, 0.5),
      p99: percentile(own, 0.99),
      perSecond,
    })
  }
  return figures
}
