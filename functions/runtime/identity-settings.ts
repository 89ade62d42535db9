import type { AuthorizerEnv } from '../authorizer/env.schema.ts'
import { parseCredential } from '../authorizer/settings.schema.ts'
import type { IdentitySettings } from '../authorizer/settings.ts'
import type { Logger } from '../core/ports.ts'
import { secretReader } from './secret-reader.ts'
import { tokenAuthority } from './token-authority.ts'

/** Identity providers of a function's environment. The service credential is read from its secret at the first use. */
export const identitySettings = (env: AuthorizerEnv, log: Logger, readerOf = secretReader): IdentitySettings => {
  const {
    KEYSTONE_URL: url,
    KEYSTONE_SECRET_ARN: arn,
    KEYSTONE_CA_PEM: caPem,
    OIDC_ISSUER: issuer,
    OIDC_AUDIENCE: audience,
  } = env
  const claims = { user: env.OIDC_USER_CLAIM, project: env.OIDC_PROJECT_CLAIM, roles: env.OIDC_ROLES_CLAIM }
  const keystoneOf = (): IdentitySettings => {
    const read = readerOf(arn)
    return {
      keystone: {
        url,
        ...(caPem === '' ? {} : { caPem }),
        readCredential: async (signal) => parseCredential(await read(signal), `The secret ${arn}`),
      },
    }
  }
  return {
    ...(env.IDENTITY_USERS_ARN === '' ? {} : { users: tokenAuthority(env, log, readerOf) }),
    ...(url === '' ? {} : keystoneOf()),
    ...(issuer === '' ? {} : { oidc: { issuer, audience, claims } }),
  }
}
