import { isAdminRole, isSameRole } from '../../core/cluster/cluster-roles.ts'
import type { KeystoneRole } from './answers.schema.ts'

/**
 * The roles of a token that a cluster gets: those on the list, and never `admin`, whatever the list says. An allow-list, since roles such as a
 * project's manager let their bearer do more than machines need, and an application credential lives for weeks in places that are read.
 */
export const delegatedRoles = (roles: readonly KeystoneRole[], allowed: readonly string[]): KeystoneRole[] =>
  roles.filter(({ name }) => !isAdminRole(name) && allowed.some((one) => isSameRole(one, name)))
