import type { Federation } from '../../../../core/federation/federation.ts'
import { describeObject, type ObjectRef } from '../../../../core/values/object-ref.ts'
import type { FederationObservation, Finding, MemberObservation } from '../../../contract/federation-driver.ts'

/** One call of a driver's function, as hooks see it. */
export type MemoryCall = {
  /** `ensure:<phase>`, `undo:<phase>`, or the name of a member function. */
  name: string
  /** The federation's id. */
  federationId: string
  /** The member's cluster; null for phases. */
  clusterId: string | null
}

type Hook = (call: MemoryCall) => void | Promise<void>

/** Calls that are kept: far more than a test makes, and no leak in a server. */
const CALLS_MAX = 5000

/**
 * What hosts and members of memory@1 hold, and who called what. A test makes its own, scripts failures with the hooks, and looks into
 * it; elsewhere one per process mirrors what the stored entities say.
 */
export class MemoryWorld {
  readonly calls: MemoryCall[] = []
  /** Called before an act: throwing makes the act fail with nothing done. */
  before: Hook | undefined
  /** Called after an act: throwing loses its result, as a crash does. */
  after: Hook | undefined
  /** What the preflight finds in any host: a test scripts it. */
  hostFindings: readonly Finding[] = []
  /** What is wrong with a control plane, by federation: a test scripts it. */
  readonly faults = new Map<string, { reason: string; message: string }>()
  /** What control planes say of a member, by its cluster: a test scripts it. Default: that it is ready. */
  readonly said = new Map<string, MemberObservation>()
  /** What is missing of a member, by its cluster, until it is registered again: a test scripts it. */
  readonly missing = new Map<string, readonly string[]>()
  readonly #objects = new Map<string, Map<string, ObjectRef>>()

  #of(clusterId: string): Map<string, ObjectRef> {
    const objects = this.#objects.get(clusterId) ?? new Map<string, ObjectRef>()
    this.#objects.set(clusterId, objects)
    return objects
  }

  /** Writes a call down. */
  note(call: MemoryCall): void {
    if (this.calls.length >= CALLS_MAX) this.calls.shift()
    this.calls.push(call)
  }

  /** Makes an object in a cluster; making it again gives the same one. */
  put(clusterId: string, ref: ObjectRef): ObjectRef {
    const objects = this.#of(clusterId)
    const key = describeObject(ref)
    const there = objects.get(key) ?? ref
    objects.set(key, there)
    return there
  }

  /** Removes an object; one that is not there is no error. */
  remove(clusterId: string, ref: ObjectRef): void {
    this.#of(clusterId).delete(describeObject(ref))
  }

  has(clusterId: string, ref: ObjectRef): boolean {
    return this.#of(clusterId).has(describeObject(ref))
  }

  /** Objects of a cluster, as `describeObject` writes them, sorted. */
  holds(clusterId: string): string[] {
    return [...this.#of(clusterId).keys()].sort()
  }

  /** How a federation looks from its control plane, which says nothing of members while it has a fault. */
  observationOf({ id, memberIds }: Pick<Federation, 'id' | 'memberIds'>): FederationObservation {
    const fault = this.faults.get(id) ?? null
    const clusters = fault === null ? memberIds : []
    return { fault, members: new Map(clusters.map((it) => [it, this.said.get(it) ?? { state: 'ready' }])) }
  }
}
