import { randomBytes } from 'node:crypto'
import * as z from 'zod'

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
