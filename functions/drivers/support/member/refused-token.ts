import type { Secret } from '../../../core/values/secret.ts'
import { CredentialRejected } from '../../../kubernetes/errors.ts'
import type { MemberContext } from '../../contract/federation-driver.ts'
import { whoAmI } from '../who-am-i.ts'

/**
 * True when the member's API server refuses the token: asked with it, at the address that is stored. A server may remember for some seconds that a token was
 * good. True also where there is no address to ask.
 *
 * @throws what reaching it throws
 */
export const isTokenRefused = async ({ member, connect }: MemberContext, token: Secret): Promise<boolean> => {
  const { endpoint } = member.cluster
  if (endpoint === null) return true
  const { server, caPem, tlsServerName, tlsVerify } = endpoint
  const client = connect({ server, caPem, tlsServerName, tlsVerify, credential: { kind: 'token', token } })
  try {
    await whoAmI(client)
    return false
  } catch (error) {
    if (error instanceof CredentialRejected) return true
    throw error
  } finally {
    client.close()
  }
}
