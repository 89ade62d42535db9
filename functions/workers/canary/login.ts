import * as z from 'zod'
import { AppError } from '../../core/values/app-error.ts'
import { Secret } from '../../core/values/secret.ts'
import { type HttpAnswer, httpCall } from '../../http/http-call.ts'

/** The canary did not get along the main path; the message says at which step, and what it was reported there. */
export class CanaryFailed extends AppError {
  override readonly name = 'CanaryFailed'
  readonly kind = 'internal'
}

/** The canary's secret holds something else than it should; the message says what is expected, and nothing of the text. */
class CanarySecretInvalid extends AppError {
  override readonly name = 'CanarySecretInvalid'
  readonly kind = 'invalid'
}

/** An answer of fedplane, or of who gives the canary its token, that is no success. `details.status` is its code. */
export class CanaryRefused extends AppError {
  override readonly name = 'CanaryRefused'
  readonly kind = 'unavailable'
}

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
const CanarySecret = z.union([z.object({ ...clusters, ...keystone }), z.object({ ...clusters, ...oidc })])
type CanarySecret = z.output<typeof CanarySecret>

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

/** For one request with its answer, milliseconds: the gateway gives up at 30 s. */
const REQUEST_MS = 30_000
/** A federation with all that it shows is some 10 KiB; a token with a large catalog some 100. */
const ANSWER_BYTES_MAX = 1024 * 1024
/** Of what an answer that is no success says, characters. */
const SAID_MAX = 500

type CanaryRequest = {
  method?: 'GET' | 'POST' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
  signal: AbortSignal
}

/**
 * A successful answer with its text.
 *
 * @param quotes whether the answer's text may be shown; not where it may hold a token
 * @throws CanaryRefused for any other, and when there is none
 */
export const request = async (
  { method = 'GET', url, headers = {}, body, signal }: CanaryRequest,
  quotes = true,
): Promise<{ headers: HttpAnswer['headers']; text: string }> => {
  const asked = `${method} ${new URL(url).pathname}`
  const answer = await httpCall({
    method,
    url: new URL(url),
    headers,
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
    answerBytesMax: ANSWER_BYTES_MAX,
  }).catch((cause: unknown) => {
    throw new CanaryRefused(`${asked} has no answer.`, { cause })
  })
  const { status, body: text } = answer
  if (status >= 200 && status < 300) return { headers: answer.headers, text }
  const said = quotes && text !== '' ? `: ${text.slice(0, SAID_MAX)}` : '.'
  throw new CanaryRefused(`${asked} was answered ${status}${said}`, { details: { status } })
}

/** Where tokens come from; empty: the installation does not know it. */
export type LoginSettings = { keystoneUrl: string; oidcIssuer: string }

/** A token with the header that it goes into. */
export type Login = { header: 'x-auth-token' | 'authorization'; token: Secret; prefix: '' | 'Bearer ' }

const JSON_BODY = { 'content-type': 'application/json' }
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' }

const Discovery = z.object({ token_endpoint: z.url({ protocol: /^https?$/ }) })
const Granted = z.object({ access_token: z.string().min(1) })

type KeystoneLogin = Extract<CanarySecret, { application_credential_id: string }>
type OidcLogin = Extract<CanarySecret, { client_id: string }>

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

const fromKeystone = async (secret: KeystoneLogin, url: string, signal: AbortSignal): Promise<Login> => {
  const application_credential = {
    id: secret.application_credential_id,
    secret: secret.application_credential_secret.reveal(),
  }
  const body = JSON.stringify({ auth: { identity: { methods: ['application_credential'], application_credential } } })
  const place = `${withoutSlash(url).replace(/\/v3$/, '')}/v3/auth/tokens?nocatalog`
  const { headers } = await request({ method: 'POST', url: place, headers: JSON_BODY, body, signal }, false)
  const token = headers['x-subject-token']
  if (typeof token !== 'string') throw new CanaryRefused('Keystone answered the login of the canary without a token.')
  return { header: 'x-auth-token', token: new Secret(token), prefix: '' }
}

const parse = <T>(schema: z.ZodType<T>, text: string, what: string): T => {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    // What it says may be a token.
    throw new CanaryRefused(`The OIDC issuer answered ${what} with something else than it should.`)
  }
}

/** `client_secret_basic`, which each issuer takes (RFC 6749, section 2.3.1). */
const basic = ({ client_id, client_secret }: OidcLogin): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret.reveal())}`).toString('base64')}`

const fromIssuer = async (secret: OidcLogin, issuer: string, signal: AbortSignal): Promise<Login> => {
  const known = await request({ url: `${withoutSlash(issuer)}/.well-known/openid-configuration`, signal })
  const { token_endpoint: url } = parse(Discovery, known.text, 'the question for its endpoints')
  const form = { grant_type: 'client_credentials', ...(secret.scope === '' ? {} : { scope: secret.scope }) }
  const headers = { ...FORM_BODY, authorization: basic(secret) }
  const body = new URLSearchParams(form).toString()
  const { text } = await request({ method: 'POST', url, headers, body, signal }, false)
  const { access_token } = parse(Granted, text, 'the login of the canary')
  return { header: 'authorization', token: new Secret(access_token), prefix: 'Bearer ' }
}

/**
 * Logs in where the installation's callers do.
 *
 * @throws CanaryRefused, CanarySecretInvalid when the installation has no such identity provider
 */
export const logIn = (secret: CanarySecret, settings: LoginSettings, signal: AbortSignal): Promise<Login> => {
  const [url, name] =
    'client_id' in secret ? [settings.oidcIssuer, 'an OIDC issuer'] : [settings.keystoneUrl, 'Keystone']
  if (url === '') {
    throw new CanarySecretInvalid(
      `The canary's secret has a credential of ${name}, and this installation knows none: give it one of the other kind.`,
    )
  }
  return 'client_id' in secret ? fromIssuer(secret, url, signal) : fromKeystone(secret, url, signal)
}
