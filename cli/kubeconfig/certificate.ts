import 'reflect-metadata'
import { generateKeyPair, webcrypto } from 'node:crypto'
import { promisify } from 'node:util'

/** RFC 5280 names of Kubernetes' administrators: any user of this group may do everything. */
const SUBJECT = 'O=system:masters, CN=admin'

/** A new key, and a request for a certificate that makes its holder administrator of a cluster. Both PEM. */
export const certificateRequest = async (): Promise<{ csrPem: string; keyPem: string }> => {
  // Only this command needs the library.
  const { Pkcs10CertificateRequestGenerator, cryptoProvider } = await import('@peculiar/x509')
  cryptoProvider.set(webcrypto)
  const pair = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const [privateKey, publicKey] = await Promise.all([
    webcrypto.subtle.importKey('pkcs8', pair.privateKey.export({ format: 'der', type: 'pkcs8' }), algorithm, true, [
      'sign',
    ]),
    webcrypto.subtle.importKey('spki', pair.publicKey.export({ format: 'der', type: 'spki' }), algorithm, true, [
      'verify',
    ]),
  ])
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: SUBJECT,
    keys: { privateKey, publicKey },
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  })
  return { csrPem: request.toString('pem'), keyPem: String(pair.privateKey.export({ format: 'pem', type: 'pkcs8' })) }
}
