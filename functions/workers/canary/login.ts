import * as z from 'zod'
import { Secret } from '../../core/values/secret.ts'
import type { CanarySecret } from './canary-secret.schema.ts'
import { CanaryRefused, CanarySecretInvalid } from './errors.ts'
import { request } from './request.ts'

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
