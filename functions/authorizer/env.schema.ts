import * as z from 'zod'
import { IdentityUrl } from './settings.schema.ts'
import { DEFAULT_CLAIMS } from './settings.ts'

const text = z.string().min(1)

/** A setting that may be empty, which is as good as absent. */
const optional = <T extends z.ZodType<string>>(value: T) => z.union([z.literal(''), value]).default('')

/** Complete, with the six characters at its end. */
const SECRET_ARN = z.string().regex(/^arn:[^:]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/)

/** Settings of the authorizer function: apart from those in `runtime/env.ts`, whose readers need none of it. */
const authorizer = {
  KEYSTONE_URL: optional(IdentityUrl),
  /** ARN of the Secrets Manager secret with the service credential, with the six characters at its end. The secret itself is never here. */
  KEYSTONE_SECRET_ARN: optional(SECRET_ARN),
  /** PEM of the only authorities that may vouch for Keystone. Default: those that everybody trusts. */
  KEYSTONE_CA_PEM: z.string().default(''),
  /** Issuer of tokens, exactly as it stands in them (`iss`). */
  OIDC_ISSUER: optional(IdentityUrl),
  /** Audience that tokens must have (`aud`). */
  OIDC_AUDIENCE: z.string().default(''),
  OIDC_USER_CLAIM: text.default(DEFAULT_CLAIMS.user),
  OIDC_PROJECT_CLAIM: text.default(DEFAULT_CLAIMS.project),
  OIDC_ROLES_CLAIM: text.default(DEFAULT_CLAIMS.roles),
  /** Secrets and table of the identity facade: all three, or no secret. */
  IDENTITY_USERS_ARN: optional(SECRET_ARN),
  IDENTITY_TOKEN_KEY_ARN: optional(SECRET_ARN),
  TABLE_NAME: z.string().default(''),
}

/** Two settings of which neither makes sense without the other. */
const PAIRS = [
  ['KEYSTONE_URL', 'KEYSTONE_SECRET_ARN'],
  ['OIDC_ISSUER', 'OIDC_AUDIENCE'],
  ['IDENTITY_USERS_ARN', 'IDENTITY_TOKEN_KEY_ARN'],
] as const

/** The authorizer: which identity providers vouch for callers. None is allowed, and lets nobody in. */
export const authorizerEnv = z.object(authorizer).superRefine((env, context) => {
  // The function that streams events has a table without a facade.
  if (env.IDENTITY_USERS_ARN !== '' && env.TABLE_NAME === '') {
    context.addIssue({ code: 'custom', path: ['TABLE_NAME'], message: 'belongs to IDENTITY_USERS_ARN' })
  }
  for (const [one, other] of PAIRS) {
    if ((env[one] === '') === (env[other] === '')) continue
    context.addIssue({ code: 'custom', path: [env[one] === '' ? one : other], message: 'belongs to the other' })
  }
})
export type AuthorizerEnv = z.infer<typeof authorizerEnv>
