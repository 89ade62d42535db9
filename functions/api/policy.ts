import type { Principal, Role } from '../domain/principal.ts'
import { PolicyForbids } from './errors.ts'

const WRITERS: readonly Role[] = ['admin', 'member']
const READERS: readonly Role[] = ['admin', 'member', 'reader']

/** Who may do what in their own project: Magnum's default policies (magnum-rest.md 9.4), and ours for what Magnum lacks. */
const RULES = {
  'cluster:create': WRITERS,
  'cluster:update': WRITERS,
  'cluster:delete': WRITERS,
  'cluster:get': READERS,
  'cluster:get_all': READERS,
  'cluster:detail': READERS,
  'federation:create': WRITERS,
  'federation:update': WRITERS,
  'federation:delete': WRITERS,
  'federation:get': READERS,
  'federation:get_all': READERS,
  'federation:detail': READERS,
  'driver:get': READERS,
} as const satisfies Record<string, readonly Role[]>

export type PolicyRule = keyof typeof RULES

/** @throws PolicyForbids naming the rule */
export const demandPolicy = (principal: Principal, rule: PolicyRule): void => {
  const allowed: readonly Role[] = RULES[rule]
  if (principal.roles.some((role) => allowed.includes(role))) return
  throw new PolicyForbids(
    `Policy doesn't allow ${rule} to be performed: it needs one of the roles ${allowed.join(', ')}.`,
  )
}
