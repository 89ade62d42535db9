import * as z from 'zod'
import { Secret } from '../../core/values/secret.ts'
import { CanarySecretInvalid } from './errors.ts'

const text = z.string().min(1)
const secret = text.transform((value) => new Secret(value))

const clusters = {
  /** Of the cluster that carries the canary's federation, and of the one that joins it. */
  host_kubeconfig: secret,
  member_kubeconfig: secret,
}

/** An application credential in a project of Keystone that is the canary's own. */
const keystone = { application_credential_id: text, application_credential_secret: secret }

/** A client of the OIDC issuer that gets tokens for itself (RFC 6749, section 4.4). */
const oidc = { client_id: text, client_secret: secret, scope: z.string().default('') }

/** What the canary logs in with, and the two clusters that it simulates with. */
export const CanarySecret = z.union([z.object({ ...clusters, ...keystone }), z.object({ ...clusters, ...oidc })])
export type CanarySecret = z.output<typeof CanarySecret>

const FORM =
  'host_kubeconfig, member_kubeconfig, and either application_credential_id and application_credential_secret (Keystone) or client_id and client_secret (OIDC, with scope if the issuer wants one)'

const parseJson = (given: string): unknown => {
  try {
    return JSON.parse(given)
  } catch {
    // The parser's message quotes the secret.
    return
  }
}

/** The content of the canary's secret. @throws CanarySecretInvalid without anything of the text */
export const parseCanarySecret = (given: string): CanarySecret => {
  const parsed = CanarySecret.safeParse(parseJson(given))
  if (parsed.success) return parsed.data
  throw new CanarySecretInvalid(`The canary's secret is not what it should be: a JSON object with ${FORM}.`)
}
