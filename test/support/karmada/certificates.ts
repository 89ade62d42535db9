import { createPrivateKey, X509Certificate } from 'node:crypto'
import { ProgramFault } from './mounted-files.ts'
import { remembered } from './remembered.ts'

export type Pair = { certificate: string; key: string }

const parsed = remembered((pem: string) => new X509Certificate(pem))

const read = (pem: string): X509Certificate => {
  try {
    return parsed(pem)
  } catch (error) {
    throw new ProgramFault(`failed to find any PEM data in certificate input: ${String(error)}`)
  }
}

const isSignedBy = remembered((certificatePem: string, caPem: string) =>
  read(certificatePem).verify(read(caPem).publicKey),
)

const fits = remembered((certificatePem: string, key: string) =>
  read(certificatePem).checkPrivateKey(createPrivateKey(key)),
)

const isFor = remembered((certificatePem: string, host: string) => {
  const certificate = read(certificatePem)
  return certificate.checkHost(host) !== undefined || certificate.checkIP(host) !== undefined
})

/** Milliseconds since 1970. */
const lifetime = remembered((pem: string) => {
  const { validFrom, validTo } = read(pem)
  return { from: Date.parse(validFrom), to: Date.parse(validTo) }
})

const requireCurrent = (pem: string): void => {
  const now = Date.now()
  const { from, to } = lifetime(pem)
  if (to < now || from > now) {
    throw new ProgramFault('x509: certificate has expired or is not yet valid')
  }
}

/** @throws ProgramFault unless key and certificate belong together */
export const requirePair = ({ certificate, key }: Pair): void => {
  if (!fits(certificate, key)) throw new ProgramFault('tls: private key does not match public key')
  requireCurrent(certificate)
}

/** @throws ProgramFault unless the authority signed it */
export const requireSigned = (certificatePem: string, caPem: string): void => {
  if (!isSignedBy(certificatePem, caPem)) throw new ProgramFault('x509: certificate signed by unknown authority')
  requireCurrent(certificatePem)
}

/** @throws ProgramFault unless the certificate is good for a server of that name */
export const requireServes = (certificatePem: string, caPem: string, host: string): void => {
  requireSigned(certificatePem, caPem)
  if (!isFor(certificatePem, host)) {
    throw new ProgramFault(
      `x509: certificate is valid for ${read(certificatePem).subjectAltName ?? 'nothing'}, not ${host}`,
    )
  }
}

/** User and groups of a client certificate. */
export const subjectOf = (certificatePem: string): { username: string; groups: string[] } => {
  const parts = read(certificatePem)
    .subject.split('\n')
    .map((line) => line.split('=') as [string, string])
  const of = (name: string): string[] => parts.filter(([key]) => key === name).map(([, value]) => value)
  return { username: of('CN')[0] ?? '', groups: [...of('O'), 'system:authenticated'] }
}
