import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import * as z from 'zod'
import { IdentityProviderUnavailable } from '../../identity/errors.ts'
import { identityCall, jsonOf } from '../../identity/identity-call.ts'
import { IdentityUrl } from '../settings.schema.ts'

/** Each of the two calls, milliseconds: together well below the 10 s that API Gateway gives the authorizer. */
const CALL_MS = 3_000
/** How long keys are used without an observation of the issuer. */
const KEYS_MS = 10 * 60_000
/** Between looks because of an unknown key: tokens with made-up keys must not make us flood the issuer. */
const COOLDOWN_MS = 30_000

export type KeySetOptions = {
  /** Milliseconds for each call. Default 3,000. */
  callMs?: number
  /** Milliseconds between fetches because of unknown keys. Default 30,000. */
  cooldownMs?: number
}

/** Metadata of an issuer (OpenID Connect Discovery 1.0, section 3), as far as it is used. */
const Metadata = z.object({ issuer: z.string(), jwks_uri: IdentityUrl })

/**
 * Where the keys of an issuer are by its metadata; undefined when that can't be taken: the issuer must name itself (section 4.3), else one
 * could speak for another, and its keys must be as safe on their way as itself.
 */
export const keysUrlOf = (issuer: string, metadata: unknown): URL | undefined => {
  const parsed = Metadata.safeParse(metadata)
  if (!parsed.success || parsed.data.issuer !== issuer) return
  const keys = new URL(parsed.data.jwks_uri)
  return keys.protocol === new URL(issuer).protocol ? keys : undefined
}

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>

/** @throws IdentityProviderUnavailable */
const discover = async (issuer: string, callMs: number): Promise<URL> => {
  const url = new URL(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`)
  const answer = await identityCall({ method: 'GET', url, signal: AbortSignal.timeout(callMs) })
  const keys = answer.status === 200 ? keysUrlOf(issuer, jsonOf(answer)) : undefined
  if (keys) return keys
  throw new IdentityProviderUnavailable(
    `${url.href} answered ${answer.status}, without the metadata of the issuer ${issuer} and an https jwks_uri in it.`,
    { details: { status: answer.status } },
  )
}

/** Fetches a key set with our limits in place of jose's own, which has none for the size. */
const boundedFetch = async (address: string, { signal }: { signal: AbortSignal }): Promise<Response> => {
  const answer = await identityCall({ method: 'GET', url: new URL(address), signal })
  if (answer.status === 200) return new Response(answer.body)
  throw new IdentityProviderUnavailable(`${address} answered ${answer.status} in place of keys.`, {
    details: { status: answer.status },
  })
}

/** What a token with a key that the issuer does not have, or an ambiguous one, makes of a good key set. */
const isFaultOfToken = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys

const unavailable = (issuer: string, error: unknown): Error => {
  if (error instanceof IdentityProviderUnavailable) return error
  const code = error instanceof errors.JOSEError ? error.code : undefined
  return new IdentityProviderUnavailable(`The issuer ${issuer} gave no usable keys (${code ?? 'no code'}).`, {
    details: { code },
  })
}

/**
 * Keys of an issuer, found by discovery at the first use. They are fetched again after ten minutes, and at most every 30 seconds when a
 * token names a key that is not among them. After a failure discovery starts anew.
 *
 * @returns throws JWKSNoMatchingKey and JWKSMultipleMatchingKeys of jose, and IdentityProviderUnavailable
 */
export const issuerKeys = (issuer: string, options: KeySetOptions = {}): JWTVerifyGetKey => {
  const { callMs = CALL_MS, cooldownMs = COOLDOWN_MS } = options
  let keys: Promise<RemoteKeys> | undefined
  const open = async (): Promise<RemoteKeys> =>
    createRemoteJWKSet(await discover(issuer, callMs), {
      timeoutDuration: callMs,
      cacheMaxAge: KEYS_MS,
      cooldownDuration: cooldownMs,
      [customFetch]: boundedFetch,
    })
  return async (header, token) => {
    keys ??= open()
    const using = keys
    let remote: RemoteKeys | undefined
    try {
      remote = await using
      return await remote(header, token)
    } catch (error) {
      if (isFaultOfToken(error)) throw error
      // Good keys stay: a made-up key while the issuer is down must not take them from the others.
      if (keys === using && !remote?.fresh) keys = undefined
      throw unavailable(issuer, error)
    }
  }
}
