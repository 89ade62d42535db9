import { errors, type JWTPayload, jwtVerify } from 'jose'
import * as z from 'zod'
import type { Clock } from '../../core/ports.ts'
import type { Identity } from '../../core/values/identity.ts'
import { PrincipalId, rolesFrom } from '../roles.ts'
import type { ClaimNames, OidcSettings } from '../settings.ts'
import { issuerKeys, type KeySetOptions } from './key-set.ts'

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
const identityOf = (claims: Claims, names: ClaimNames): Identity => {
  const userId = PrincipalId.safeParse(claimOf(claims, names.user))
  if (!userId.success) return lacking('the user', names.user, ID_FORM)
  const projectId = PrincipalId.safeParse(claimOf(claims, names.project))
  if (!projectId.success) return lacking('the project', names.project, ID_FORM)
  const roles = RoleNames.safeParse(claimOf(claims, names.roles))
  if (!roles.success) return lacking('the roles', names.roles, 'a list of names, or text with spaces between them')
  const principal = { userId: userId.data, projectId: projectId.data, roles: rolesFrom(roles.data) }
  return { principal: { ...principal, source: 'oidc' } }
}

/** Signatures by a private key only: with HMAC, everybody who may check a token could make one; `none` is no signature. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** Between the issuer's clock and ours, seconds. */
const CLOCK_TOLERANCE_SECONDS = 60

export type OidcOptions = KeySetOptions & { clock: Clock }

const CLAIM_REASONS: Readonly<Record<string, string>> = {
  iss: 'The token is of another issuer.',
  aud: 'The token is for another audience.',
  nbf: 'The token is not valid yet.',
}

const REASONS: Readonly<Record<string, string>> = {
  [errors.JWTExpired.code]: 'The token has expired: get a new one.',
  [errors.JOSEAlgNotAllowed.code]: `The token must be signed with one of ${ALGORITHMS.join(', ')}.`,
  [errors.JWKSNoMatchingKey.code]: 'The token is signed with a key that its issuer does not have.',
  [errors.JWKSMultipleMatchingKeys.code]: 'The token must name its key (kid): its issuer has several.',
  [errors.JWSSignatureVerificationFailed.code]: 'The signature of the token is wrong.',
}

const MALFORMED = 'The token is not a signed JWT.'

const reasonOf = (error: errors.JOSEError): string => {
  if (error instanceof errors.JWTClaimValidationFailed) {
    return (
      CLAIM_REASONS[error.claim] ?? `The claim ${JSON.stringify(error.claim)} of the token is missing or malformed.`
    )
  }
  return REASONS[error.code] ?? MALFORMED
}

/**
 * Finds out who holds a JWT of the issuer (RFC 7519, RFC 8725): signature, issuer, audience, `exp` and `nbf` are checked, then the claims
 * become a principal.
 *
 * @returns throws IdentityProviderUnavailable
 */
export const oidc = (
  settings: OidcSettings,
  { clock, ...keySet }: OidcOptions,
): ((token: string) => Promise<Identity>) => {
  const keys = issuerKeys(settings.issuer, keySet)
  const verify = async (token: string): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, keys, {
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: clock.now(),
    })
    return payload
  }
  return async (token) => {
    try {
      return identityOf(await verify(token), settings.claims)
    } catch (error) {
      if (error instanceof errors.JOSEError) return { reason: reasonOf(error) }
      throw error
    }
  }
}
