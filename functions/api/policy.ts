import type { Principal } from '../core/values/principal.ts'
import type { ClusterUseContext, PolicyObject, PolicyRule } from '../policy/rules.ts'
import { PolicyForbids } from './errors.ts'
import type { ApiSettings } from './settings.ts'

/** A request, as far as it says who asks. */
export type Asker = { principal: Principal; settings: Pick<ApiSettings, 'policy'> }

/** True when the policy allows it. `object` absent: something in the caller's own project. */
export const isAllowed = (
  { principal, settings }: Asker,
  rule: PolicyRule,
  object?: PolicyObject,
  use?: ClusterUseContext,
): boolean => settings.policy.allows(principal, rule, object, use)

/** Where it would be allowed to the same caller, had that one made the object. */
const ownersOnly = (asker: Asker, rule: PolicyRule, object: PolicyObject | undefined): string => {
  const { userId } = asker.principal
  if (object === undefined || object.userId === userId || !isAllowed(asker, rule, { ...object, userId })) return ''
  return ' Another user made it: only that one may, and an administrator in its project.'
}

/** The refusal that names the rule, as Magnum does. @param rest of the sentence, with its full stop, and what to do */
export const policyForbids = ({ principal }: Asker, rule: PolicyRule, rest: string): PolicyForbids =>
  new PolicyForbids(
    `Policy doesn't allow ${rule} to be performed by you (roles: ${principal.roles.join(', ') || 'none'})${rest}`,
  )

/** @throws PolicyForbids naming the rule */
export const requirePolicy = (asker: Asker, rule: PolicyRule, object?: PolicyObject): void => {
  if (isAllowed(asker, rule, object)) return
  throw policyForbids(asker, rule, `.${ownersOnly(asker, rule, object)}`)
}
