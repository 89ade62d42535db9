import type { KeystoneRole } from './answers.schema.ts'

const named = (name: string) => (role: KeystoneRole) => role.name.toLowerCase() === name

/**
 * The roles that are lent to a cluster: all of the token's but `admin`, where the user is a member besides. Machines need no more than a
 * member may, and roles such as `load-balancer_member` differ from cloud to cloud, so that a list of ours would be wrong somewhere.
 */
export const lentRoles = (roles: readonly KeystoneRole[]): KeystoneRole[] => {
  const isAdmin = named('admin')
  return roles.some(named('member')) ? roles.filter((role) => !isAdmin(role)) : [...roles]
}
