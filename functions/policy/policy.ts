import type { Principal } from '../domain/principal.ts'
import type { PolicyObject, PolicyRule } from './rules.ts'

/** Decides who may do what. */
export interface Policy {
  allows(principal: Principal, rule: PolicyRule, object?: PolicyObject): boolean
}
