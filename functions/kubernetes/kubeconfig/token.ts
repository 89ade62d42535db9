import * as z from 'zod'
import { Secret } from '../../core/values/secret.ts'
import { type Section, textField } from './fields.ts'
import { KubeconfigRejected } from './kubeconfig-rejected.ts'
import { isRedacted } from './pem.ts'
import { checkValidity, type DatedCredential, type Validity } from './validity.ts'

/** Visible ASCII: what an HTTP header carries unharmed (RFC 9110 section 5.5, RFC 6750 section 2.1). */
const VISIBLE = /^[\x21-\x7e]+$/

const Claims = z.object({ exp: z.number().optional(), nbf: z.number().optional() })

/**
 * `token` of a user entry; ends are trimmed, since a file with a final line break is a usual source (cases/KC-11). Undefined when
 * there is none.
 *
 * @throws KubeconfigRejected `invalid_credential`, `credential_expired`, `credential_not_yet_valid`
 */
export const bearerToken = (section: Section, now: Date): DatedCredential | undefined => {
  const field = `${section.path}.token`
  const token = textField(section, 'token')?.trim()
  if (token === undefined || token === '') return
  if (isRedacted(token)) {
    throw invalid(field, 'is left out; print the kubeconfig with `kubectl config view --flatten --minify --raw`')
  }
  if (!VISIBLE.test(token))
    throw invalid(field, 'has spaces, line breaks or other characters that no token has; copy it again')
  const validity = jwtValidity(token)
  checkValidity(validity, field, now)
  return { credential: { kind: 'token', token: new Secret(token) }, validity }
}

const invalid = (field: string, why: string): KubeconfigRejected =>
  new KubeconfigRejected('invalid_credential', `${field} of the kubeconfig ${why}.`, { fields: [field] })

/** What a JWT says about itself; nothing is verified. Other tokens are opaque. */
const jwtValidity = (token: string): Validity => {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return { notBefore: null, notAfter: null }
  const claims = Claims.safeParse(jsonOf(Buffer.from(payload, 'base64url').toString()))
  return { notBefore: dateOf(claims.data?.nbf), notAfter: dateOf(claims.data?.exp) }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return
  }
}

const dateOf = (seconds: number | undefined): Date | null => {
  const date = new Date((seconds ?? Number.NaN) * 1000)
  return Number.isNaN(date.getTime()) ? null : date
}
