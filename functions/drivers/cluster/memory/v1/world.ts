import type { ClusterContext } from '../../../contract/cluster-driver.ts'

/** `ensure:<phase>`, `undo:<phase>` or `observe`, of which cluster. */
export type ClusterCall = { name: string; clusterId: string }

type Hook = (call: ClusterCall, context: ClusterContext) => void | Promise<void>

/** Calls that are kept: far more than a test makes, and no leak in a server. */
const CALLS_MAX = 5000

/** Clusters that memory@1 simulates: who called what, hooks to script failures, and what is up. */
export class MemoryClusters {
  readonly calls: ClusterCall[] = []
  /** Called before an act: throwing makes it fail with nothing done. */
  before: Hook | undefined
  /** Called after an act: throwing loses its result, as a crash does. */
  after: Hook | undefined
  /** Ids of clusters that are up. */
  readonly up = new Set<string>()

  /** Writes a call down. */
  note(call: ClusterCall): void {
    if (this.calls.length >= CALLS_MAX) this.calls.shift()
    this.calls.push(call)
  }
}
