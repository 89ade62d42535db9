import { type AuthorizerEnv, authorizerEnv } from '../functions/authorizer/env.schema.ts'

/** Name in the context, and the setting of the authorizer that it becomes. */
const SETTINGS = {
  keystoneUrl: 'KEYSTONE_URL',
  keystoneSecretArn: 'KEYSTONE_SECRET_ARN',
  oidcIssuer: 'OIDC_ISSUER',
  oidcAudience: 'OIDC_AUDIENCE',
  oidcUserClaim: 'OIDC_USER_CLAIM',
  oidcProjectClaim: 'OIDC_PROJECT_CLAIM',
  oidcRolesClaim: 'OIDC_ROLES_CLAIM',
} as const satisfies Record<string, keyof AuthorizerEnv>

/** Names of `-c name=value` that configure who vouches for callers (docs/authentication.md). */
export const IDENTITY_CONTEXT: readonly string[] = [...Object.keys(SETTINGS), 'keystoneSecretKeyArn']

const KEY_ARN = /^arn:[^:]+:kms:[a-z0-9-]+:[0-9]{12}:key\/[A-Za-z0-9-]+$/

export type IdentityProps = { identity: AuthorizerEnv; keystoneSecretKeyArn?: string }

const refuse = (names: readonly string[]): Error =>
  new Error(
    `The context ${names.join(', ')} is missing or malformed. Keystone needs keystoneUrl (https) and keystoneSecretArn (complete ARN of a Secrets Manager secret); OIDC needs oidcIssuer (https) and oidcAudience; keystoneSecretKeyArn is the ARN of a KMS key. docs/authentication.md has examples.`,
  )

/**
 * Identity providers of the context.
 *
 * @throws Error naming the context at fault
 */
export const identityProps = (context: Readonly<Record<string, string | undefined>>): IdentityProps => {
  const named = Object.entries(SETTINGS)
  const parsed = authorizerEnv.safeParse(
    Object.fromEntries(named.map(([name, setting]) => [setting, context[name] || undefined])),
  )
  if (!parsed.success) {
    const faulty = new Set(parsed.error.issues.map((issue) => issue.path[0]))
    throw refuse(named.flatMap(([name, setting]) => (faulty.has(setting) ? [name] : [])))
  }
  const { keystoneSecretKeyArn } = context
  if (!keystoneSecretKeyArn) return { identity: parsed.data }
  if (!KEY_ARN.test(keystoneSecretKeyArn)) throw refuse(['keystoneSecretKeyArn'])
  return { identity: parsed.data, keystoneSecretKeyArn }
}
