import type { AuthorizerEnv } from '../functions/authorizer/env.schema.ts'
import type { DeploymentSettings } from './settings/settings.schema.ts'

/** Who vouches for callers, as the authorizer reads it. */
export const authorizerEnvironment = (settings: DeploymentSettings): AuthorizerEnv => ({
  KEYSTONE_URL: settings.keystoneUrl ?? '',
  KEYSTONE_SECRET_ARN: settings.keystoneSecretArn ?? '',
  KEYSTONE_CA_PEM: settings.keystoneCa ?? '',
  OIDC_ISSUER: settings.oidcIssuer ?? '',
  OIDC_AUDIENCE: settings.oidcAudience ?? '',
  OIDC_USER_CLAIM: settings.oidcUserClaim,
  OIDC_PROJECT_CLAIM: settings.oidcProjectClaim,
  OIDC_ROLES_CLAIM: settings.oidcRolesClaim,
})
