import { errors, jwtVerify, SignJWT } from 'jose'
import * as z from 'zod'
import { ROLES, type Role } from '../core/values/identity.ts'

/** No other JWT is taken for one of these (RFC 8725, section 3.11). */
const TYPE = 'fedplane+jwt'
const ISSUER = 'fedplane'
/** Whoever checks these tokens decides who callers are in any case, so that it may know the key that makes them. */
const ALGORITHM = 'HS256'

/** What an identity provider has vouched for: nothing of it can be looked up again. */
export type Federated = { projectId: string; roles: readonly Role[] }

/** What a token says. Who its user is now, and what they may do, is looked up at each use. */
export type TokenClaims = {
  id: string
  /** The tokens that it was got with, oldest first: with one of them it is revoked too. */
  ancestors: readonly string[]
  userId: string
  /** Null: unscoped. */
  projectId: string | null
  methods: readonly string[]
  issuedAt: Date
  expiresAt: Date
  applicationCredentialId?: string
  /** Digest of the user's password hash: another password ends what the one before has opened. */
  password?: string
  federated?: Federated
}

const Id = z.string().min(1).max(255)

const Payload = z.object({
  jti: Id,
  anc: z.array(Id),
  sub: Id,
  prj: Id.nullable(),
  amr: z.array(z.string()),
  iat: z.int(),
  exp: z.int(),
  apc: Id.exactOptional(),
  pwd: z.string().exactOptional(),
  fed: z.object({ prj: Id, roles: z.array(z.enum(ROLES)) }).exactOptional(),
})

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** @param key 32 bytes at least */
export const signToken = (claims: TokenClaims, key: Uint8Array): Promise<string> => {
  const { applicationCredentialId: apc, password: pwd, federated } = claims
  const payload = {
    anc: claims.ancestors,
    prj: claims.projectId,
    amr: claims.methods,
    ...(apc === undefined ? {} : { apc }),
    ...(pwd === undefined ? {} : { pwd }),
    ...(federated === undefined ? {} : { fed: { prj: federated.projectId, roles: federated.roles } }),
  }
  return new SignJWT(payload)
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
    .setJti(claims.id)
    .setSubject(claims.userId)
    .setIssuer(ISSUER)
    .setIssuedAt(seconds(claims.issuedAt))
    .setExpirationTime(seconds(claims.expiresAt))
    .sign(key)
}

/** What a good token says; undefined for any other. */
export const verifyToken = async (token: string, key: Uint8Array, now: Date): Promise<TokenClaims | undefined> => {
  const options = { algorithms: [ALGORITHM], typ: TYPE, issuer: ISSUER, requiredClaims: ['exp', 'jti', 'sub'] }
  const verified = await jwtVerify(token, key, { ...options, currentDate: now }).catch((error: unknown) => {
    if (error instanceof errors.JOSEError) return
    throw error
  })
  const parsed = Payload.safeParse(verified?.payload)
  if (!parsed.success) return
  const { jti, anc, sub, prj, amr, iat, exp, apc, pwd, fed } = parsed.data
  return {
    id: jti,
    ancestors: anc,
    userId: sub,
    projectId: prj,
    methods: amr,
    issuedAt: new Date(iat * 1000),
    expiresAt: new Date(exp * 1000),
    ...(apc === undefined ? {} : { applicationCredentialId: apc }),
    ...(pwd === undefined ? {} : { password: pwd }),
    ...(fed === undefined ? {} : { federated: { projectId: fed.prj, roles: fed.roles } }),
  }
}
