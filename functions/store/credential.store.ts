import type { AuthorityType } from '../core/cluster/cluster.ts'
import type { Secret } from '../core/values/secret.ts'
import type { Write } from './write.ts'

/**
 * Whose secret, and which: `cluster/<id>` `kubeconfig`, `membership/<federation>/<cluster>` `member-token`,
 * `federation/<id>` `driver-<name>`.
 * Both are part of the additional authenticated data, so a sealed value can't be moved to another owner.
 */
export type CredentialKey = {
  projectId: string
  owner: string
  purpose: string
  /** What lies beside it in clear and must not change without it. Sealed values of before have none, and are read all the same. */
  boundTo?: string
}

/**
 * Sealed secrets (AES-256-GCM under one data key per project, wrapped by the key service). Never in a listed item.
 */
export interface CredentialStore {
  /** Undefined when there is none. @throws CredentialUnreadable when the key is not the one it was sealed with */
  get(key: CredentialKey): Promise<Secret | undefined>
  /** Seals now; the returned write stores it unconditionally: whoever may write it has been decided by the writes beside it. */
  seal(key: CredentialKey, secret: Secret): Promise<Write>
  /** Removes one; absent is no error. */
  remove(key: CredentialKey): Write
}

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
