import type { APIGatewayRequestAuthorizerEventV2, APIGatewaySimpleAuthorizerWithContextResult } from 'aws-lambda'
import { type AuthorizerContext, authorizerContextOf, type Identity } from '../core/values/identity.ts'
import { readEnv } from '../runtime/env.ts'
import { identitySettings } from '../runtime/identity-settings.ts'
import { lazy } from '../runtime/lazy.ts'
import { powertoolsLog } from '../runtime/powertools-log.ts'
import { authorizerEnv } from './env.schema.ts'
import { type Identify, identifier, type RequestHeaders } from './identify.ts'

const log = lazy(() => powertoolsLog())
const identify = lazy<Identify>(() =>
  identifier(identitySettings(readEnv(authorizerEnv), log()), { clock: { now: () => new Date() }, log: log() }),
)

const lowerCased = (headers: RequestHeaders): RequestHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** A function that fails makes the gateway answer 500, which no client understands. */
const identityOf = async (headers: RequestHeaders): Promise<Identity> => {
  try {
    return await identify()(lowerCased(headers))
  } catch (error) {
    log().error('authorizer failed', { error })
    return { unavailable: "Who calls can't be found out at the moment: try again later." }
  }
}

/**
 * Lambda authorizer of the HTTP API. It always allows and passes a principal, or why there is none, because a denial would be 403 where
 * clients need 401 to log in again (design section 7).
 */
export const handler = async (
  event: Pick<APIGatewayRequestAuthorizerEventV2, 'headers'>,
): Promise<APIGatewaySimpleAuthorizerWithContextResult<AuthorizerContext>> => ({
  isAuthorized: true,
  context: authorizerContextOf(await identityOf(event.headers ?? {})),
})
