import * as z from 'zod'
import { AppError } from '../core/values/app-error.ts'
import { Secret } from '../core/values/secret.ts'
import { IdentityProviderUnavailable } from '../identity/errors.ts'

const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])$/

/**
 * True for a URL that an identity provider may have: https, or http on loopback; without user, query and fragment. Tokens and passwords go
 * there, so plain HTTP must not leave this machine.
 */
export const isIdentityUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
  return isPrivate && `${username}${password}${search}${hash}` === ''
}

/** URL of an identity provider: https, or http on loopback; without user, query and fragment. */
export const IdentityUrl = z.string().refine(isIdentityUrl, 'must be an https URL (http on loopback only)')

const text = z.string().min(1)
const secret = text.transform((value) => new Secret(value))

const ApplicationCredential = z.object({ application_credential_id: text, application_credential_secret: secret })

const PasswordCredential = z.object({
  username: text,
  password: secret,
  user_domain_name: text.default('Default'),
  project_name: text,
  project_domain_name: text.default('Default'),
})

/**
 * The service credential by which tokens are validated: names are those of `auth` in clouds.yaml. Its role must be allowed
 * `identity:validate_token` (in Keystone's defaults: `admin`, or `service`).
 */
export const KeystoneCredential = z.union([ApplicationCredential, PasswordCredential])
export type KeystoneCredential = z.infer<typeof KeystoneCredential>

/** What must be there, for messages. */
const KEYSTONE_CREDENTIAL_FORM =
  'application_credential_id and application_credential_secret, or username, password and project_name (user_domain_name and project_domain_name default to Default)'

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

/** Secrets Manager did not give a secret: it is not there, we may not read it, or there was no answer in time. */
export class SecretUnavailable extends AppError {
  override readonly name = 'SecretUnavailable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}
