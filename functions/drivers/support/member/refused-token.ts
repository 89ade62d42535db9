import type { Secret } from '../../../core/values/secret.ts'
import { CredentialRejected } from '../../../kubernetes/errors.ts'
import type { MemberContext } from '../../contract/federation-driver.ts'
import { whoAmI } from '../who-am-i.ts'
import { askWithToken } from './ask-with-token.ts'

/**
 * True when the member's API server refuses the token: asked with it, at the address that is stored. A server may remember for some seconds that a token was
 * good. True also where there is no address to ask.
 *
 * @throws what reaching it throws
 */
export const isTokenRefused = async (context: MemberContext, token: Secret): Promise<boolean> => {
  try {
    return (await askWithToken(context, token, whoAmI)) === undefined
  } catch (error) {
    if (error instanceof CredentialRejected) return true
    throw error
  }
}
