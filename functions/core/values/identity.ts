import type { Principal } from './principal.ts'

/**
 * What an authorizer finds out about a request: who calls; or why that is nobody, which is answered 401; or that it could not be asked,
 * which is answered 503 (design section 7).
 */
export type Identity = { principal: Principal } | { reason: string } | { unavailable: string }

/** `context` of the authorizer's answer, and `requestContext.authorizer.lambda` of the event that a handler gets. */
export type AuthorizerContext = { principal: string } | { reason: string } | { unavailable: string }

/**
 * As text, the principal arrives the same way whatever carries it: AWS only shows an example with lists and objects for HTTP APIs, and
 * REST APIs answer 500 to them.
 */
export const authorizerContextOf = (identity: Identity): AuthorizerContext =>
  'principal' in identity ? { principal: JSON.stringify(identity.principal) } : identity
