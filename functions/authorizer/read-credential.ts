import { IdentityProviderUnavailable } from '../identity/errors.ts'
import { KEYSTONE_CREDENTIAL_FORM, KeystoneCredential } from './settings.schema.ts'

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message quotes the secret.
    return
  }
}

/**
 * The service credential in a secret's text.
 *
 * @param where names the secret, for the message
 * @throws IdentityProviderUnavailable without anything of the text
 */
export const parseCredential = (text: string, where: string): KeystoneCredential => {
  const credential = KeystoneCredential.safeParse(parseJson(text))
  if (credential.success) return credential.data
  throw new IdentityProviderUnavailable(
    `${where} holds no service credential: a JSON object with ${KEYSTONE_CREDENTIAL_FORM} was expected.`,
  )
}
