import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { ENCRYPTION, Encryption } from './encryption.ts'
import { PKI, Pki } from './pki.schema.ts'

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
