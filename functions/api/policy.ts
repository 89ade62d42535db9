import type { Principal } from '../domain/principal.ts'
import type { PolicyObject, PolicyRule } from '../policy/rules.ts'
import { PolicyForbids } from './errors.ts'
import type { ApiSettings } from './settings.ts'

/** A request, as far as it says who asks. */
export type Asker = { principal: Principal; settings: Pick<ApiSettings, 'policy'> }

/** True when the policy allows it. `object` absent: something in the caller's own project. */
export const isAllowed = ({ principal, settings }: Asker, rule: PolicyRule, object?: PolicyObject): boolean =>
  settings.policy.allows(principal, rule, object)

/** @throws PolicyForbids naming the rule, as Magnum does */
export const demandPolicy = (asker: Asker, rule: PolicyRule, object?: PolicyObject): void => {
  if (isAllowed(asker, rule, object)) return
  throw new PolicyForbids(
    `Policy doesn't allow ${rule} to be performed by you (roles: ${asker.principal.roles.join(', ') || 'none'}).`,
  )
}
