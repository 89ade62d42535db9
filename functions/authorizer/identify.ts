import type { Clock, Logger } from '../core/ports.ts'
import type { Identity } from '../core/values/identity.ts'
import { identityOfToken } from '../identity/session.ts'
import { keystone } from './keystone/keystone.ts'
import { oidc } from './oidc/oidc.ts'
import type { IdentitySettings } from './settings.ts'

/** Names are in lower case, as API Gateway gives them. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Finds out who sent a request; never rejects. */
export type Identify = (headers: RequestHeaders) => Promise<Identity>

/** Of `X-Auth-Token`, as OpenStack's clients send it. */
export const keystoneTokenOf = (headers: RequestHeaders): string | undefined =>
  headers['x-auth-token']?.trim() || undefined

/** Of `Authorization: Bearer` (RFC 6750, section 2.1). */
export const bearerTokenOf = (headers: RequestHeaders): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]

/** One way to say who one is. */
type Provider = {
  /** For messages. */
  header: string
  tokenOf(headers: RequestHeaders): string | undefined
  identityOf(token: string): Promise<Identity>
  unavailable: string
}

const providersOf = ({ keystone: cloud, oidc: issuer, users }: IdentitySettings, clock: Clock): Provider[] => [
  ...(users
    ? [
        {
          header: 'X-Auth-Token with a token of POST /identity/v3/auth/tokens',
          tokenOf: keystoneTokenOf,
          identityOf: (token: string) => identityOfToken(users, token),
          unavailable: "The token can't be checked at the moment: try again later.",
        },
      ]
    : []),
  ...(cloud
    ? [
        {
          header: 'X-Auth-Token with a token of Keystone',
          tokenOf: keystoneTokenOf,
          identityOf: keystone(cloud, { clock }),
          unavailable: "Keystone can't validate the token at the moment: try again later.",
        },
      ]
    : []),
  ...(issuer
    ? [
        {
          header: `Authorization: Bearer with a token of ${issuer.issuer}`,
          tokenOf: bearerTokenOf,
          identityOf: oidc(issuer, { clock }),
          unavailable: "The keys of the token's issuer can't be read at the moment: try again later.",
        },
      ]
    : []),
]

const NOBODY: Identify = async () => ({ reason: 'No identity provider is configured in this installation.' })

/**
 * Who a request is of, by the providers of the settings. Keystone's token goes before a bearer token, as in Keystone's middleware: the first
 * that is there decides alone. A token of a provider that is not configured is as good as none.
 */
export const identifier = (settings: IdentitySettings, ports: { clock: Clock; log: Logger }): Identify => {
  const providers = providersOf(settings, ports.clock)
  if (providers.length === 0) return NOBODY
  const missing = `The request has no token: send ${providers.map(({ header }) => header).join(', or ')}.`
  return async (headers) => {
    for (const { tokenOf, identityOf, unavailable } of providers) {
      const token = tokenOf(headers)
      if (token === undefined) continue
      try {
        return await identityOf(token)
      } catch (error) {
        ports.log.error('identity not found out', { error })
        return { unavailable }
      }
    }
    return { reason: missing }
  }
}
