import * as z from 'zod'

const SECRET_ARN = /^arn:[^:]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/
const url = z.url({ protocol: /^https?$/ })

/** What tokens of the facade are made and checked with, as the authorizer and the facade read it. */
export const tokenAuthorityFields = {
  /** Name of the DynamoDB table. */
  TABLE_NAME: z.string().min(1),
  /** ARN of the Secrets Manager secret with the users. The secret itself is never here. */
  IDENTITY_USERS_ARN: z.string().regex(SECRET_ARN),
  /** ARN of the secret that tokens are signed with, which the stack makes. */
  IDENTITY_TOKEN_KEY_ARN: z.string().regex(SECRET_ARN),
}

/** The identity facade. */
export const identityEnv = z.object({
  ...tokenAuthorityFields,
  /** Base URL of the API as clients see it, without `/v1`. */
  PUBLIC_URL: url,
  /** OIDC issuer whose tokens are exchanged for ours. Default: none. */
  OIDC_ISSUER: z.union([z.literal(''), url]).default(''),
  OIDC_AUDIENCE: z.string().default(''),
  OIDC_USER_CLAIM: z.string().min(1),
  OIDC_PROJECT_CLAIM: z.string().min(1),
  OIDC_ROLES_CLAIM: z.string().min(1),
})
export type IdentityEnv = z.infer<typeof identityEnv>
export type TokenAuthorityEnv = Pick<IdentityEnv, keyof typeof tokenAuthorityFields>
