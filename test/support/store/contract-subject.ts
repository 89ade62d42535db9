import { expect } from 'vitest'
import type { Clock } from '../../../functions/core/ports.ts'
import type { Stores } from '../../../functions/store/stores.ts'

/** A clock that stands still until it is moved. */
export type ManualClock = Clock & { advance(milliseconds: number): void }

export const manualClock = (start = '2026-11-27T10:00:00.000Z'): ManualClock => {
  let now = new Date(start)
  return {
    now: () => now,
    advance: (milliseconds) => {
      now = new Date(now.getTime() + milliseconds)
    },
  }
}

/** An implementation of the stores under test, empty. */
export type ContractSubject = {
  stores: Stores
  clock: ManualClock
  /** Everything that is stored, as one text: where a secret would be found. */
  dump(): Promise<string>
  /** From now on the key service refuses everything with "denied", and no data key is cached. */
  denyKeys(): void
  dispose(): Promise<void>
}

export type MakeSubject = () => Promise<ContractSubject>

/** An entity as it is read back: with what the store adds to prove that it wrote it. */
export const stored = <T extends object>(entity: T): T & { integrity: string } => ({
  ...entity,
  integrity: expect.any(String),
})

/** What became of each of many writes at once: names of the errors, and how many were carried out. */
export const outcomes = async (attempts: Promise<unknown>[]): Promise<{ done: number; errors: string[] }> => {
  const settled = await Promise.allSettled(attempts)
  const errors = settled.flatMap((result) => (result.status === 'rejected' ? [String(result.reason.name)] : []))
  return { done: settled.length - errors.length, errors }
}

export const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of source) all.push(item)
  return all
}
