import * as z from 'zod'
import { Secret } from '../../core/values/secret.ts'
import type { ConnectionCredential } from '../client.ts'
import {
  checkValidity,
  clientCertificate,
  type DatedCredential,
  expiryWarnings,
  isoSeconds,
  isRedacted,
  type Validity,
} from './certificates.ts'
import { FLATTEN_HINT, isSet, isTreeMap, KubeconfigRejected, type Section, shownKey, textField } from './fields.ts'

/** Visible ASCII: what an HTTP header carries unharmed (RFC 9110 section 5.5, RFC 6750 section 2.1). */
const VISIBLE = /^[\x21-\x7e]+$/

const Claims = z.object({ exp: z.number().optional(), nbf: z.number().optional() })

/**
 * `token` of a user entry; ends are trimmed, since a file with a final line break is a usual source (cases/KC-11). Undefined when
 * there is none.
 *
 * @throws KubeconfigRejected `invalid_credential`, `credential_expired`, `credential_not_yet_valid`
 */
const bearerToken = (section: Section, now: Date): DatedCredential | undefined => {
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

export type UserEntry = { credential: ConnectionCredential; expiresAt: string | null; warnings: string[] }

/** Paths to files, and the embedded field that makes kubectl ignore the path; a token file always wins over the token. */
const FILE_FIELDS = new Map([
  ['client-certificate', 'client-certificate-data'],
  ['client-key', 'client-key-data'],
  ['tokenFile', null],
  ['token-file', null],
])
const KNOWN = new Set(['token', 'client-certificate-data', 'client-key-data', 'extensions', ...FILE_FIELDS.keys()])
const PROGRAMS = ['exec', 'auth-provider']

/** How to get a credential that can be given away; true of every cluster. */
const TOKEN_HINT =
  'make a service account token and put it in users[].user.token: `kubectl create serviceaccount fedplane -n kube-system`, ' +
  '`kubectl create clusterrolebinding fedplane --clusterrole=cluster-admin --serviceaccount=kube-system:fedplane`, ' +
  'and a Secret of type kubernetes.io/service-account-token for it (or `kubectl create token fedplane -n kube-system --duration=8760h`)'

/**
 * The one credential of a user entry. An allow-list: whatever is not known to be a plain credential is refused (cases/KC-03).
 *
 * A token wins over a client certificate beside it: revoking it ends the access (cases/KC-09).
 *
 * @throws KubeconfigRejected
 */
export const userEntry = (section: Section, now: Date): UserEntry => {
  const { credential, validity } = credentialOf(section, now)
  const { notAfter } = validity
  return {
    credential,
    expiresAt: notAfter === null ? null : isoSeconds(notAfter),
    warnings: [...besideWarnings(section, credential), ...expiryWarnings(validity, now)],
  }
}

/** Refuses programs, passwords, impersonation and unknown fields. @throws KubeconfigRejected */
export const checkUserFields = (section: Section): void => {
  refusePrograms(section)
  refusePassword(section)
  const unknown = [...section.map].filter(([key, value]) => !KNOWN.has(key) && isSet(value)).map(([key]) => key)
  const [first] = unknown
  if (first === undefined) return
  const isImpersonation = first === 'as' || first.startsWith('as-')
  const why = isImpersonation
    ? 'asks for impersonation, which is not supported; give a credential that has the rights itself'
    : `is not supported; fedplane takes \`token\`, or \`client-certificate-data\` with \`client-key-data\``
  throw new KubeconfigRejected('unsupported_field', `${section.path}.${shownKey(first)} of the kubeconfig ${why}.`, {
    fields: unknown.slice(0, 20).map((key) => `${section.path}.${shownKey(key)}`),
  })
}

/** Paths to files in this entry that would have to be read. */
export const userFileReferences = ({ path, map }: Section): string[] =>
  [...FILE_FIELDS]
    .filter(([key, twin]) => isSet(map.get(key)) && !isSet(map.get(twin ?? '')))
    .map(([key]) => `${path}.${key}`)

const refusePrograms = ({ path, map }: Section): void => {
  const kind = PROGRAMS.find((key) => isSet(map.get(key)))
  if (kind === undefined) return
  const value = map.get(kind)
  const name = isTreeMap(value) ? value.get('name') : undefined
  const provider =
    kind === 'auth-provider' && typeof name === 'string' && /^[a-z-]{1,40}$/.test(name) ? { provider: name } : {}
  throw new KubeconfigRejected(
    'unsupported_auth',
    `${path}.${kind} of the kubeconfig runs a program to log in, which fedplane never does; instead ${TOKEN_HINT}.`,
    { fields: [`${path}.${kind}`], facts: { authKind: kind, ...provider } },
  )
}

const refusePassword = ({ path, map }: Section): void => {
  const fields = ['username', 'password'].filter((key) => isSet(map.get(key)))
  if (fields.length === 0) return
  throw new KubeconfigRejected(
    'unsupported_auth',
    `${path} of the kubeconfig has a user name and password, which Kubernetes no longer takes (since 1.19); instead ${TOKEN_HINT}.`,
    { fields: fields.map((key) => `${path}.${key}`), facts: { authKind: 'basic' } },
  )
}

const credentialOf = (section: Section, now: Date): DatedCredential => {
  const found = bearerToken(section, now) ?? clientCertificate(section, now)
  if (found !== undefined) return found
  throw new KubeconfigRejected(
    'incomplete_credential',
    `${section.path} of the kubeconfig has no credential, so calls would be anonymous; ${FLATTEN_HINT}, or ${TOKEN_HINT}.`,
    { fields: [section.path] },
  )
}

const besideWarnings = ({ path, map }: Section, credential: ConnectionCredential): string[] =>
  credential.kind === 'token' && isSet(map.get('client-certificate-data'))
    ? [`${path} has a token and a client certificate; the token is used and the certificate is not kept.`]
    : []
