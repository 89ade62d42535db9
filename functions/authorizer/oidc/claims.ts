import * as z from 'zod'
import type { Identity } from '../../core/values/identity.ts'
import { PrincipalId, rolesFrom } from '../roles.ts'
import type { ClaimNames } from '../settings.ts'

type Claims = Readonly<Record<string, unknown>>

const isClaims = (value: unknown): value is Claims => typeof value === 'object' && value !== null

const fieldOf = (claims: unknown, name: string): unknown => (isClaims(claims) ? claims[name] : undefined)

/** By its whole name (`https://example.org/roles`), else by its path (`realm_access.roles`). */
const claimOf = (claims: Claims, name: string): unknown =>
  fieldOf(claims, name) ?? name.split('.').reduce<unknown>((at, part) => fieldOf(at, part), claims)

const RoleNames = z.union([z.array(z.string()), z.string().transform((text) => text.split(' '))])

const lacking = (what: string, name: string, form: string): Identity => ({
  reason: `The token does not tell ${what}: its claim ${JSON.stringify(name)} must be ${form}.`,
})

const ID_FORM = 'text of 1 to 255 characters'

/** The principal that verified claims tell of, or which claim is missing. */
export const identityOf = (claims: Claims, names: ClaimNames): Identity => {
  const userId = PrincipalId.safeParse(claimOf(claims, names.user))
  if (!userId.success) return lacking('the user', names.user, ID_FORM)
  const projectId = PrincipalId.safeParse(claimOf(claims, names.project))
  if (!projectId.success) return lacking('the project', names.project, ID_FORM)
  const roles = RoleNames.safeParse(claimOf(claims, names.roles))
  if (!roles.success) return lacking('the roles', names.roles, 'a list of names, or text with spaces between them')
  const principal = { userId: userId.data, projectId: projectId.data, roles: rolesFrom(roles.data) }
  return { principal: { ...principal, source: 'oidc' } }
}
