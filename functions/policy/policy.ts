import type { Principal } from '../core/values/identity.ts'
import type { ClusterUseContext, PolicyObject, PolicyRule } from './rules.ts'

/** Decides who may do what. */
export interface Policy {
  /**
   * `object` absent: something of the caller's own. `use` goes with `cluster:host` and `cluster:join`.
   *
   * @throws PolicyNotDecided
   */
  allows(principal: Principal, rule: PolicyRule, object?: PolicyObject, use?: ClusterUseContext): boolean
}
