import type { Burst } from './clusters.ts'
import type { Figures } from './figures.ts'
import type { RelabelFigures } from './relabel.ts'

export type Results = {
  /** ISO 8601. */
  date: string
  machine: { cpus: string; node: string }
  clusters: number
  firstAnswerMs: { empty: number; filled: number }
  figures: Figures[]
  /** p50 of a list over that of the raw query, by name of the list. */
  ratios: Record<string, number>
  burst: Burst
  /** MB (10^6 bytes): with all clusters before and after the lists, and after the creates. */
  residentMb: { filled: number; listed: number; end: number }
  relabel: RelabelFigures
  decisionMs: number
}

export type Goal = { name: string; value: string; limit: string; met: boolean }

const RATIO_MAX = 2
const RESIDENT_MB_MAX = 300
const FIRST_ANSWER_MS_MAX = 2000
const DECISION_MS_MAX = 1
/** How much later than one that is asked for a member may be Ready that a label brought, milliseconds. */
const RELABEL_MS_MAX = 1000

const goal = (name: string, value: number, [max, unit]: [number, string], digits = 0): Goal => ({
  name,
  value: `${value.toFixed(digits)}${unit}`,
  limit: `${max}${unit}`,
  met: value <= max,
})

/** What issue 4 asks for, and what came of it. */
export const goalsOf = (results: Results): Goal[] => {
  const { residentMb, firstAnswerMs, burst, decisionMs, ratios, relabel } = results
  return [
    ...Object.entries(ratios).map(([name, ratio]) => goal(`${name} / raw query (p50)`, ratio, [RATIO_MAX, ' x'], 2)),
    goal(`errors of ${burst.creates} creates at once`, burst.errors, [0, '']),
    goal('resident memory of the server', Math.max(residentMb.filled, residentMb.listed), [RESIDENT_MB_MAX, ' MB']),
    goal('first answer of npm start, empty', firstAnswerMs.empty, [FIRST_ANSWER_MS_MAX, ' ms']),
    goal('first answer of npm start, filled', firstAnswerMs.filled, [FIRST_ANSWER_MS_MAX, ' ms']),
    goal('a label to Ready, beyond a join (p50)', relabel.relabelMs - relabel.joinMs, [RELABEL_MS_MAX, ' ms']),
    goal('one Cedar decision (median)', decisionMs, [DECISION_MS_MAX, ' ms'], 3),
  ]
}
