import type { Principal } from '../core/values/identity.ts'
import type { PolicyContext, PolicyObject, PolicyRule } from './rules.ts'

/** What was decided, and by which policies: ids of those that permit it, or forbid it; none where no policy speaks of it. */
export type Decision = { isAllowed: boolean; policies: readonly string[] }

/** Decides who may do what. */
export interface Policy {
  /**
   * `object` absent: something of the caller's own. `context` goes with the rules of joins and grants.
   *
   * @throws PolicyNotDecided
   */
  decide(principal: Principal, rule: PolicyRule, object?: PolicyObject, context?: PolicyContext): Decision
}
