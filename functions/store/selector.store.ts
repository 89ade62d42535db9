import type { ClusterSelector } from '../core/selector/selector.ts'
import type { Write } from './write.ts'

type FederationKey = { projectId: string; id: string }

/** That a federation has a selector, and what it wants: found without reading federations. A hint; the federation itself decides. */
export type SelectorPointer = FederationKey & { wanted: ClusterSelector }

/** What waits to be followed for one federation: a cluster that changed, or all clusters of the project, a page at a time. */
export type SelectorWork = {
  projectId: string
  federationId: string
  /** Null: all clusters. */
  clusterId: string | null
  /** Id of what it was noted for: something later takes its place, and is not taken away with it. */
  noted: string
  /** The last cluster that was seen of all; null: none yet. */
  marker: string | null
  /** ISO-8601 UTC. */
  since: string
}

/** Selectors of federations, and what there is to do because of them. */
export interface SelectorStore {
  /** Those of a project. Strongly consistent. */
  listOf(projectId: string): Promise<SelectorPointer[]>
  /** Undefined when the federation has none. */
  get(federation: FederationKey): Promise<SelectorPointer | undefined>
  /** Puts it, in place of what was there. */
  put(pointer: SelectorPointer): Write
  /** No error when there is none. */
  remove(federation: FederationKey): Write

  /** All that waits for a federation. Strongly consistent. */
  workOf(federation: FederationKey): Promise<SelectorWork[]>
  /** Notes it, in place of what was noted for the same. */
  addWork(work: SelectorWork): Write
  /** Goes on after a cluster, unless something later was noted in its place. */
  moveWork(work: SelectorWork, marker: string): Write
  /** Takes it away, unless something later was noted in its place. */
  removeWork(work: SelectorWork): Write
  /** Federations for which something waits, each as often as that does. Eventually consistent. */
  due(now: string): AsyncIterable<FederationKey>
}
