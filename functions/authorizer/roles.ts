import * as z from 'zod'
import { ROLES, type Role } from '../core/values/identity.ts'

/** Roles of an identity provider as ours, whatever their case (Keystone's are case-insensitive); others mean nothing here. */
export const rolesFrom = (names: readonly string[]): Role[] => {
  const lowerCased = new Set(names.map((name) => name.toLowerCase()))
  return ROLES.filter((role) => lowerCased.has(role))
}

/** Id of a user or project: it becomes part of database keys and log lines. */
export const PrincipalId = z
  .string()
  .min(1)
  .max(255)
  .refine((id) => !/[\p{Cc}\p{Cs}]/u.test(id))
