import { readEnv } from '../runtime/env.ts'
import { lazy } from '../runtime/lazy.ts'
import { powertoolsLog } from '../runtime/powertools-log.ts'
import { jwtIdentity, tokenAuthority } from '../runtime/token-authority.ts'
import { identityEnv } from './env.schema.ts'
import { type IdentityApp, identityApp } from './identity-app.ts'

const app = lazy<IdentityApp>(() => {
  const env = readEnv(identityEnv)
  const log = powertoolsLog()
  return identityApp({
    ...tokenAuthority(env, log),
    log,
    baseUrl: () => env.PUBLIC_URL,
    oidc: jwtIdentity(env),
  })
})

/** Lambda entry of the identity facade. */
export const handler: IdentityApp = async (event) => app()(event)
