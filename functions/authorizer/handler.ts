import type { APIGatewaySimpleAuthorizerWithContextResult } from 'aws-lambda'

/** What the API reads from the event: who calls, or why that is unknown. Here always the latter. */
export type AuthorizerContext = { reason: string }

/**
 * Lambda authorizer of the HTTP API. It always allows and passes a principal or a reason, because a denial would be 403 where clients
 * need 401 to log in again (design section 7).
 *
 * There is no identity provider on AWS yet, so every request ends in 401. Keystone and OIDC come with their own issue; locally
 * `FEDPLANE_TOKENS` maps tokens to principals.
 */
export const handler = async (): Promise<APIGatewaySimpleAuthorizerWithContextResult<AuthorizerContext>> => ({
  isAuthorized: true,
  context: { reason: 'No identity provider is configured in this installation.' },
})
