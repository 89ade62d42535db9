import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../../core/ports.ts'
import type { Identity } from '../../core/values/identity.ts'
import type { OidcSettings } from '../settings.ts'
import { identityOf } from './claims.ts'
import { issuerKeys, type KeySetOptions } from './key-set.ts'

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
