import type { Principal } from '../core/values/identity.ts'
import type { PolicyContext, PolicyObject, PolicyRule } from './rules.ts'

/** Decides who may do what. */
export interface Policy {
  /**
   * `object` absent: something of the caller's own. `context` goes with the rules of joins and grants.
   *
   * @throws PolicyNotDecided
   */
  allows(principal: Principal, rule: PolicyRule, object?: PolicyObject, context?: PolicyContext): boolean
}
