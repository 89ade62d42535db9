import {
  bearerTokenOf,
  type Identify,
  identifier,
  keystoneTokenOf,
  type RequestHeaders,
} from '../../functions/authorizer/identify.ts'
import type { IdentitySettings } from '../../functions/authorizer/settings.ts'
import type { Clock, Logger } from '../../functions/core/ports.ts'
import { type AuthorizerContext, authorizerContextOf, type Identity } from '../../functions/core/values/identity.ts'
import { type Principal, ROLES } from '../../functions/core/values/principal.ts'
import { openTokenFile, type TokenLookup } from './token-file.ts'

/** Who everybody is without a token file and identity providers. */
export const LOCAL_PRINCIPAL: Principal = { userId: 'local', projectId: 'local', roles: ROLES, source: 'local' }

/** The authorizer by token file alone. `X-Auth-Token` goes before `Authorization`, as in Keystone's middleware. */
export const localAuthorizer = (lookUp: TokenLookup | undefined): Identify => {
  if (!lookUp) return async () => ({ principal: LOCAL_PRINCIPAL })
  return async (headers) => {
    const token = keystoneTokenOf(headers) ?? bearerTokenOf(headers)
    if (token === undefined) return { reason: 'The request has no token: send X-Auth-Token or Authorization: Bearer.' }
    const principal = lookUp(token)
    return principal ? { principal } : { reason: 'The token is not known.' }
  }
}

export type AuthorizerSettings = {
  /** FEDPLANE_TOKENS. */
  tokensFile?: string | undefined
  identity?: IdentitySettings | undefined
}

/**
 * The authorizer of local mode, as HTTP APIs call it. A token in the file is known by it; what is not is left to the identity providers, if
 * there are any. With neither everybody is the local principal.
 *
 * @throws TokenFileInvalid
 */
export const openAuthorizer = (
  { tokensFile, identity }: AuthorizerSettings,
  ports: { clock: Clock; log: Logger },
): ((headers: RequestHeaders) => Promise<AuthorizerContext>) => {
  const byFile = localAuthorizer(tokensFile ? openTokenFile(tokensFile, ports.log) : undefined)
  if (!identity) return async (headers) => authorizerContextOf(await byFile(headers))
  const byProvider = identifier(identity, ports)
  return async (headers) => {
    const found: Identity | undefined = tokensFile ? await byFile(headers) : undefined
    return authorizerContextOf(found && 'principal' in found ? found : await byProvider(headers))
  }
}
