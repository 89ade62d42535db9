import type { AnswerBound, ReadLimits } from './client.ts'

const KIB = 1024
const MIB = 1024 * KIB

/**
 * The most that is read of what an API server answers: the only place for these numbers (docs/bounds.md has how they were measured). Every call of the client
 * names one of them.
 *
 * Bytes bound memory, values the time of JSON.parse: 2 MiB of `{"a":{"b":…` or of a million tiny keys cost up to 220 ms, 50,000 values 25 ms.
 */
export const ANSWER_BOUNDS = {
  /** One object: etcd takes 1.5 MiB, and JSON writes it larger. */
  object: { bytes: 4 * MIB, values: 50_000 },
  /** One page of a list; pages that are larger are asked for in smaller ones (`drivers/support/pages.ts`). */
  page: { bytes: 8 * MIB, values: 100_000 },
  /** One page as a table: 500 nodes have 100 to 180 KiB. As whole objects, from servers that make no tables, it comes in smaller pages. */
  table: { bytes: 2 * MIB, values: 50_000 },
  /** Reviews of access and tokens: some KiB. */
  review: { bytes: 256 * KIB, values: 5_000 },
  /** `GET /version` is 300 bytes. */
  version: { bytes: 16 * KIB, values: 100 },
  /** `/readyz`, discovery of one group: the largest one, of the core, has 20 KiB. */
  raw: { bytes: 1 * MIB, values: 20_000 },
  /** A Status instead of what was asked for. */
  failure: { bytes: 256 * KIB, values: 5_000 },
} as const satisfies Record<string, AnswerBound>

export type AnswerKind = keyof typeof ANSWER_BOUNDS

/** In the health sweep, which reads from clusters that nobody asked for just now, fifty at a time: 5,000 nodes as tables are 2 MiB. */
export const SWEEP_LIMITS: ReadLimits = { bytes: 2 * MIB, values: 50_000, totalBytes: 8 * MIB }

/** The same for control planes: a Cluster of Karmada has 50 KiB, and a federation some hundreds of them. */
export const CONTROL_PLANE_SWEEP_LIMITS: ReadLimits = { ...SWEEP_LIMITS, totalBytes: 64 * MIB }

/** Elsewhere: what each call may. */
export const NO_LIMITS: ReadLimits = {
  bytes: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  totalBytes: Number.POSITIVE_INFINITY,
}

/** The smaller of what a call and what its client may read. */
export const boundOf = (kind: AnswerKind, limits: ReadLimits): AnswerBound => ({
  bytes: Math.min(ANSWER_BOUNDS[kind].bytes, limits.bytes),
  values: Math.min(ANSWER_BOUNDS[kind].values, limits.values),
})
