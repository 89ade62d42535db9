import type { Cluster } from '../core/cluster/cluster.ts'
import { isManagementCluster } from '../core/cluster/management.ts'
import { KUBECONFIG_ROLES, type Principal } from '../core/values/identity.ts'
import { quote } from '../core/values/wording.ts'
import type { KubeconfigContext, PolicyContext, PolicyObject, PolicyRule } from '../policy/rules.ts'
import type { Scope } from '../store/page.ts'
import { PolicyForbids } from './errors.ts'
import type { ApiSettings } from './settings.ts'

/** A request, as far as it says who asks. */
export type Asker = { principal: Principal; settings: Pick<ApiSettings, 'policy'> }

/** True when the policy allows it. `object` absent: something in the caller's own project. */
export const isAllowed = (
  { principal, settings }: Asker,
  rule: PolicyRule,
  object?: PolicyObject,
  context?: PolicyContext,
): boolean => settings.policy.decide(principal, rule, object, context).isAllowed

/** Where it would be allowed to the same caller, had that one made the object. */
const ownersOnly = (asker: Asker, rule: PolicyRule, object: PolicyObject | undefined): string => {
  const { userId } = asker.principal
  if (object === undefined || object.userId === userId || !isAllowed(asker, rule, { ...object, userId })) return ''
  return ' Another user made it: only that one may, and an administrator in its project.'
}

/** Of which side of a join a rule is. */
const sideOf = (rule: PolicyRule): 'federation' | 'cluster' | undefined => {
  if (rule === 'federation:join' || rule === 'federation:unjoin') return 'federation'
  return rule === 'cluster:join' || rule === 'cluster:host' ? 'cluster' : undefined
}

/** A refusal in words of its own. The log has rule and side. */
export const refusalBy = (rule: PolicyRule, message: string): PolicyForbids => {
  const side = sideOf(rule)
  return new PolicyForbids(message, { details: { rule, ...(side && { side }) } })
}

/** The refusal that names the rule, as Magnum does. @param rest of the sentence, with its full stop, and what to do */
export const policyForbids = ({ principal }: Asker, rule: PolicyRule, rest: string): PolicyForbids =>
  refusalBy(
    rule,
    `Policy doesn't allow ${rule} to be performed by you (roles: ${principal.roles.join(', ') || 'none'})${rest}`,
  )

/**
 * For a kubeconfig with this role, as asked for.
 *
 * @throws PolicyForbids naming the rule, the role, and those that the caller may ask for
 */
export const requireKubeconfigRule = (
  asker: Asker & { rule: PolicyRule },
  context: KubeconfigContext,
  object?: PolicyObject,
): void => {
  const { rule } = asker
  if (isAllowed(asker, rule, object, context)) return
  const others = KUBECONFIG_ROLES.filter((role) => isAllowed(asker, rule, object, { ...context, role }))
  const advice = others.length === 0 ? '' : ` Ask for the role ${others.join(' or ')}.`
  throw policyForbids(asker, rule, ` with the role ${context.role}.${advice}`)
}

/** @throws PolicyForbids naming the rule */
export const requirePolicy = (asker: Asker, rule: PolicyRule, object?: PolicyObject): void => {
  if (isAllowed(asker, rule, object)) return
  throw policyForbids(asker, rule, `.${ownersOnly(asker, rule, object)}`)
}

const RULE = 'cluster:set_management'

/**
 * A cluster with a role is as powerful as the role: whoever has a management cluster has every cluster that is made through it. Each use and
 * change of one takes the right to give that role.
 *
 * @throws PolicyForbids
 */
export const requireRoleRule = (asker: Asker, cluster: Cluster): void => {
  const { name, id, projectId, userId } = cluster
  if (!isManagementCluster(cluster) || isAllowed(asker, RULE, { projectId, userId })) return
  throw policyForbids(
    asker,
    RULE,
    `. Cluster ${quote(name)} (${id}) is a management cluster: only an administrator changes it or uses it in a federation.`,
  )
}

/** Nothing but the caller's own project. */
export const ownScope = ({ principal }: Pick<Asker, 'principal'>): Scope => ({
  projectId: principal.projectId,
  allProjects: false,
})

/** How far a request looks: the own project, and all others when the policy allows the `*_all_projects` rule. */
export const scopeOf = (asker: Asker, allProjectsRule?: PolicyRule): Scope => ({
  projectId: asker.principal.projectId,
  allProjects: allProjectsRule !== undefined && isAllowed(asker, allProjectsRule),
})
