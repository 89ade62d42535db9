import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { PKI, Pki } from './pki.schema.ts'

/** The control plane's certificates and keys; undefined before they are made. @throws ZodError for a document that is not ours */
export const readPki = async ({ sealed }: Pick<FederationContext, 'sealed'>): Promise<Pki | undefined> => {
  const secret = await sealed(PKI)
  return secret === undefined ? undefined : Pki.parse(JSON.parse(secret.reveal()))
}
