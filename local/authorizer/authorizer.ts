import { type Principal, ROLES } from '../../functions/domain/principal.ts'
import type { TokenLookup } from './token-file.ts'

/** Who everybody is without a token file. */
export const LOCAL_PRINCIPAL: Principal = { userId: 'local', projectId: 'local', roles: ROLES, source: 'local' }

/** What an authorizer puts into `requestContext.authorizer.lambda`: somebody, or why nobody (then the handler answers 401). */
export type AuthorizerContext = { principal: Principal } | { reason: string }

export type Authorizer = (headers: Readonly<Record<string, string | undefined>>) => Promise<AuthorizerContext>

/** Headers have lower-case names. `X-Auth-Token` goes before `Authorization`, as in Keystone's middleware. */
const tokenOf = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const keystone = headers['x-auth-token']?.trim()
  if (keystone) return keystone
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
}

/** The authorizer of local mode: by token file, or everybody as the local principal when there is none. */
export const localAuthorizer = (lookUp: TokenLookup | undefined): Authorizer => {
  if (!lookUp) return async () => ({ principal: LOCAL_PRINCIPAL })
  return async (headers) => {
    const token = tokenOf(headers)
    if (token === undefined) return { reason: 'The request has no token: send X-Auth-Token or Authorization: Bearer.' }
    const principal = lookUp(token)
    return principal ? { principal } : { reason: 'The token is not known.' }
  }
}
