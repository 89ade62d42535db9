import 'reflect-metadata'
import {
  type JsonGeneralNames,
  PemConverter,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509'
import type { ClusterAuthority } from '../../../local/clusters/cluster-files.ts'
import type { KeyPair, LeafSubject } from '../../../simulated-kubernetes/pki.ts'
import type { Api } from '../../support/api/api.ts'

type Algorithm = { name: string; hash: string }
const EC: Algorithm & { namedCurve: string } = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
/** What `openstack coe cluster config` makes. */
export const RSA: Algorithm & { modulusLength: number; publicExponent: Uint8Array } = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: Uint8Array.of(1, 0, 1),
  hash: 'SHA-256',
}

export type Certificate = { cluster_uuid: string; pem: string }

const namesOf = ({ dnsNames = [], ipAddresses = [] }: LeafSubject): JsonGeneralNames => [
  ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
  ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
]

/** A key made here, and its certificate from `POST /v1/certificates`. Only the signing request leaves this process. */
export const signedByFedplane = async (
  api: Api,
  cluster: string,
  subject: LeafSubject,
  algorithm: typeof EC | typeof RSA = EC,
): Promise<KeyPair> => {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const names = namesOf(subject)
  const csr = await Pkcs10CertificateRequestGenerator.create({
    name: [
      { CN: [subject.commonName] },
      ...(subject.organization === undefined ? [] : [{ O: [subject.organization] }]),
    ],
    keys,
    signingAlgorithm: algorithm,
    extensions: names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)],
  })
  const { body } = await api.ask<Certificate>('POST', '/v1/certificates', {
    cluster_uuid: cluster,
    csr: csr.toString('pem'),
  })
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { certificatePem: body.pem, keyPem: PemConverter.encode(key, PemConverter.PrivateKeyTag) }
}

/** The authority that fedplane holds for a cluster, as one that signs the certificates of an API server. */
export const fedplaneAuthority = async (api: Api, cluster: string): Promise<ClusterAuthority> => ({
  certificatePem: (await api.get<Certificate>(`/v1/certificates/${cluster}`)).pem,
  issue: (subject) => signedByFedplane(api, cluster, subject),
})
