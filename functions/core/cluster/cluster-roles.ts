/**
 * Roles that clusters get in their application credentials unless the operator says otherwise: machines, networks and volumes (`member`), load
 * balancers of Octavia with its own roles, secrets of Barbican. What a caller has besides stays with them.
 */
export const DEFAULT_CLUSTER_ROLES: readonly string[] = ['member', 'load-balancer_member', 'creator']

const ADMIN = 'admin'

/** Keystone compares names of roles without case. */
export const isSameRole = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** True for the role that no cluster ever gets: in Keystone an administrator of one project is one of all. */
export const isAdminRole = (role: string): boolean => isSameRole(role, ADMIN)
