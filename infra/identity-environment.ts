import type { AuthorizerEnv } from '../functions/authorizer/env.schema.ts'
import type { TokenAuthorityEnv } from '../functions/identity-api/env.schema.ts'
import type { DeploymentSettings } from './settings/settings.schema.ts'

type OidcEnv = Pick<AuthorizerEnv, `OIDC_${'ISSUER' | 'AUDIENCE' | 'USER_CLAIM' | 'PROJECT_CLAIM' | 'ROLES_CLAIM'}`>

/** Tokens of which issuer are taken. */
export const oidcEnvironment = (settings: DeploymentSettings): OidcEnv => ({
  OIDC_ISSUER: settings.oidcIssuer ?? '',
  OIDC_AUDIENCE: settings.oidcAudience ?? '',
  OIDC_USER_CLAIM: settings.oidcUserClaim,
  OIDC_PROJECT_CLAIM: settings.oidcProjectClaim,
  OIDC_ROLES_CLAIM: settings.oidcRolesClaim,
})

/** Who vouches for callers, as the authorizer reads it. @param facade undefined: there is none */
export const authorizerEnvironment = (
  settings: DeploymentSettings,
  facade: TokenAuthorityEnv | undefined,
): AuthorizerEnv => ({
  KEYSTONE_URL: settings.keystoneUrl ?? '',
  KEYSTONE_SECRET_ARN: settings.keystoneSecretArn ?? '',
  KEYSTONE_CA_PEM: settings.keystoneCa ?? '',
  ...oidcEnvironment(settings),
  ...(facade ?? { IDENTITY_USERS_ARN: '', IDENTITY_TOKEN_KEY_ARN: '', TABLE_NAME: '' }),
})
