import type { Principal, Role } from '../domain/principal.ts'
import type { Policy } from './policy.ts'
import type { PolicyObject, PolicyRule } from './rules.ts'

const WRITE = /:(create|update|delete|resize|upgrade|rotate_ca|update_health_status)$/
const ADMIN = /(_all_projects|:publish)$|^(quota:(create|update|delete|get_all)|magnum-service:get_all)$/

const rolesOf = (rule: PolicyRule): readonly Role[] => {
  if (rule === 'credential:rotate') return ['member']
  if (ADMIN.test(rule)) return ['admin']
  return WRITE.test(rule) ? ['admin', 'member'] : ['admin', 'member', 'reader']
}

const SAME_USER: readonly PolicyRule[] = ['certificate:get', 'certificate:create']

const sameUser = ({ roles, userId }: Principal, rule: PolicyRule, object: PolicyObject | undefined): boolean =>
  !SAME_USER.includes(rule) || object?.userId === undefined || object.userId === userId || roles.includes('admin')

/** Magnum's defaults by hand, until the Cedar policies are here. */
export const rolePolicy: Policy = {
  allows: (principal, rule, object) =>
    principal.roles.some((role) => rolesOf(rule).includes(role)) && sameUser(principal, rule, object),
}
