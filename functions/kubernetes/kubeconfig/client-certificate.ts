import { Secret } from '../../core/values/secret.ts'
import type { Section } from './fields.ts'
import { KubeconfigRejected } from './kubeconfig-rejected.ts'
import { type Certificate, certificatesOf, joinPem, pemField, privateKeyOf } from './pem.ts'
import { checkValidity, type DatedCredential, type Validity } from './validity.ts'

const CERTIFICATE = 'client-certificate-data'
const KEY = 'client-key-data'

/**
 * `client-certificate-data` and `client-key-data` of a user entry; undefined when there is neither. The whole chain is kept, the
 * key's own certificate first.
 *
 * @throws KubeconfigRejected `incomplete_credential`, `key_mismatch`, `credential_expired`, …
 */
export const clientCertificate = (section: Section, now: Date): DatedCredential | undefined => {
  const certificatePem = pemField(section, CERTIFICATE)
  const keyPem = pemField(section, KEY)
  if (certificatePem === undefined && keyPem === undefined) return
  if (certificatePem === undefined) throw incomplete(section, CERTIFICATE, KEY)
  if (keyPem === undefined) throw incomplete(section, KEY, CERTIFICATE)
  const field = `${section.path}.${CERTIFICATE}`
  const certificates = certificatesOf(certificatePem, field)
  const { pem, key } = privateKeyOf(keyPem, `${section.path}.${KEY}`)
  const leaf = certificates.find(({ x509 }) => x509.checkPrivateKey(key))
  if (leaf === undefined) {
    throw new KubeconfigRejected(
      'key_mismatch',
      `${section.path}.${KEY} is not the key of ${field}; send the pair that belongs together.`,
      {
        fields: [`${section.path}.${KEY}`, field],
      },
    )
  }
  const chain = [leaf, ...certificates.filter((certificate) => certificate !== leaf)]
  const validity = validityOf(chain)
  checkValidity(validity, field, now)
  return {
    credential: { kind: 'client-certificate', certificatePem: joinPem(chain), keyPem: new Secret(`${pem}\n`) },
    validity,
  }
}

const incomplete = ({ path }: Section, missing: string, given: string): KubeconfigRejected =>
  new KubeconfigRejected(
    'incomplete_credential',
    `${path} of the kubeconfig has ${given} without ${missing}; send both.`,
    {
      fields: [`${path}.${missing}`],
    },
  )

/** A chain is good while all of it is (cases/PE-09). */
const validityOf = (chain: readonly Certificate[]): Validity => ({
  notBefore: new Date(Math.max(...chain.map(({ x509 }) => x509.validFromDate.getTime()))),
  notAfter: new Date(Math.min(...chain.map(({ x509 }) => x509.validToDate.getTime()))),
})
