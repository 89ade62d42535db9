import type { Principal } from '../domain/principal.ts'
import type { PolicyObject, PolicyRule } from './rules.ts'

/** Decides who may do what. */
export interface Policy {
  /** `object` absent: something of the caller's own. @throws PolicyNotDecided */
  allows(principal: Principal, rule: PolicyRule, object?: PolicyObject): boolean
}
