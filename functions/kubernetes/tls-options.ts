import type { AgentOptions } from 'node:https'
import { isIP } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import { hostOf } from './address-guard.ts'
import type { Connection } from './client.ts'

/** Options of `tls.connect` for one connection. Holds the key: never log it. */
export const tlsOptions = (connection: Connection, url: URL): AgentOptions => {
  const { caPem, tlsServerName, tlsVerify, credential } = connection
  const expected = tlsServerName ?? hostOf(url)
  return {
    // No SNI for addresses (RFC 6066 section 3).
    servername: isIP(expected) === 0 ? expected : '',
    // Node would check the host of the URL when SNI is empty.
    checkServerIdentity: (_host, certificate) => checkServerIdentity(expected, certificate),
    rejectUnauthorized: tlsVerify,
    minVersion: 'TLSv1.2',
    // Like kubectl: an intermediate in the CA data is trusted by itself (cases/PE-10).
    allowPartialTrustChain: true,
    ...(caPem === null ? {} : { ca: caPem }),
    ...(credential.kind === 'client-certificate'
      ? { cert: credential.certificatePem, key: credential.keyPem.reveal() }
      : {}),
  }
}
