import type { AuthorityType } from '../core/cluster/cluster.ts'
import type { Secret } from '../core/values/secret.ts'
import type { Write } from './write.ts'

/** `candidate`: the authority that a rotation under way will put in place of the present one. */
export type AuthorityKey = { projectId: string; clusterId: string; type: AuthorityType; candidate: boolean }

/** A certificate authority: PEM both. */
export type AuthorityMaterial = { certificatePem: string; privateKey: Secret }

/** Certificate authorities of clusters. Private keys are sealed (AES-256-GCM, see `CredentialStore`); certificates are not secret. */
export interface CertificateStore {
  /** The certificate, PEM; needs no key rights. Undefined when there is none. */
  certificate(key: AuthorityKey): Promise<string | undefined>
  /** With its private key. Undefined when there is none. @throws CredentialUnreadable */
  open(key: AuthorityKey): Promise<AuthorityMaterial | undefined>
  /** Seals now; the returned write stores it unconditionally, since the writes beside it decide. */
  seal(key: AuthorityKey, material: AuthorityMaterial): Promise<Write>
  /** Removes one; absent is no error. */
  remove(key: AuthorityKey): Write
}
