import { noAttributes } from '../body/attributes.ts'
import { noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { rotateAuthority, signCertificate, signCertificateBody } from './change-certificates.ts'

/** Signing opens an authority's private key, rotation seals new ones. */
export const CERTIFICATE_KEYS_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/certificates',
    access: 'keys',
    rule: 'certificate:create',
    schemas: { query: noQuery, body: signCertificateBody },
    summary: "Signs a certificate signing request with the cluster's authority.",
    handle: signCertificate,
  }),
  route({
    method: 'PATCH',
    path: '/v1/certificates/{cluster}',
    access: 'keys',
    rule: 'certificate:rotate_ca',
    schemas: { query: noQuery, body: noAttributes },
    summary: "Replaces the cluster's certificate authorities.",
    handle: rotateAuthority,
  }),
]
