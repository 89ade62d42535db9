import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { COMPONENTS } from '../model/names.ts'

/** Name of the sealed document. One of its own: a release that does not know it leaves it alone. */
export const ENCRYPTION = 'encryption'

/** XSalsa20-Poly1305, as kube-apiserver's `secretbox` wants its key. */
const KEY_BYTES = 32

/**
 * How Secrets of the control plane are encrypted in etcd. A control plane of before comes to it in steps, since API servers of before and after run beside
 * each other while their pods are replaced: first all of them can read what is encrypted, then they encrypt, then what was there before is.
 */
export const Encryption = z.object({
  /** Base64. */
  key: z.string(),
  stage: z.enum(['reading', 'writing', 'complete']),
})
export type Encryption = z.infer<typeof Encryption>

/** @param isNew nothing is in etcd yet, so that all of it will be encrypted */
export const newEncryption = (isNew: boolean): Encryption => ({
  key: randomBytes(KEY_BYTES).toString('base64'),
  stage: isNew ? 'complete' : 'reading',
})

/** kube-apiserver's `EncryptionConfiguration`. JSON is YAML. What the first provider did not write, the other one reads. */
export const encryptionConfiguration = ({ key, stage }: Encryption): string => {
  const secretbox = { secretbox: { keys: [{ name: 'fedplane-1', secret: key }] } }
  const identity = { identity: {} }
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      { resources: ['secrets'], providers: stage === 'reading' ? [identity, secretbox] : [secretbox, identity] },
    ],
  })
}

/** Name of the sealed document (`sealed` of a step's result). */
export const PKI = 'pki'

/** Three authorities, as upstream has them (federation-control-planes.md 1.3). */
export const AUTHORITIES = ['karmada', 'etcd', 'front-proxy'] as const
export type Authority = (typeof AUTHORITIES)[number]

/**
 * Certificates that are signed by an authority: servers, and one client identity per component. `admin` is fedplane's own, and signs
 * nothing.
 */
export const LEAVES = [
  'apiserver',
  'aggregated-apiserver-server',
  'webhook-server',
  'etcd-server',
  'etcd-client',
  'front-proxy-client',
  'admin',
  ...COMPONENTS,
] as const
export type Leaf = (typeof LEAVES)[number]

const Pair = z.object({
  /** PEM. */
  certificate: z.string(),
  /** PEM, PKCS #8. */
  key: z.string(),
})
export type Pair = z.infer<typeof Pair>

/** All certificates and keys of one control plane. Sealed as JSON: it holds the authorities' keys, which are in no Secret of the host. */
export const Pki = z.object({
  authorities: z.record(z.enum(AUTHORITIES), Pair),
  leaves: z.record(z.enum(LEAVES), Pair),
  /** Signs service-account tokens; apart from all certificates, so that their renewal invalidates no token. PEM both. */
  serviceAccount: z.object({ publicKey: z.string(), key: z.string() }),
})
/** With the key of Secrets in etcd, which is a document of its own (`encryption.ts`); absent before a control plane has one. */
export type Pki = z.infer<typeof Pki> & { encryption?: Encryption }

type Sealed = Pick<FederationContext, 'sealed'>

/** How Secrets are encrypted in etcd; undefined for a control plane of before. @throws ZodError for a document that is not ours */
export const readEncryption = async ({ sealed }: Sealed): Promise<Encryption | undefined> => {
  const secret = await sealed(ENCRYPTION)
  return secret === undefined ? undefined : Encryption.parse(JSON.parse(secret.reveal()))
}

/** The control plane's certificates and keys; undefined before they are made. @throws ZodError for a document that is not ours */
export const readPki = async ({ sealed }: Sealed): Promise<Pki | undefined> => {
  const secret = await sealed(PKI)
  return secret === undefined ? undefined : Pki.parse(JSON.parse(secret.reveal()))
}

/** The same with the key of Secrets in etcd: all that the host gets. @throws ZodError for a document that is not ours */
export const readHostPki = async (context: Sealed): Promise<Pki | undefined> => {
  const [pki, encryption] = await Promise.all([readPki(context), readEncryption(context)])
  return pki === undefined ? undefined : { ...pki, ...(encryption === undefined ? {} : { encryption }) }
}
