import type { IncomingHttpHeaders } from 'node:http'
import type { Agent, AgentOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkServerIdentity } from 'node:tls'
import { AppError } from '../core/values/app-error.ts'
import { type GuardedLookup, hostOf, type ResolvedAddress } from './address-guard.ts'
import type { Connection, Dial, PodPort } from './client.ts'
import { type Asked, codeOf, dnsLookupFailed, type Trust } from './network-errors.ts'

/** Parts that a wait is counted in. */
const PARTS = 10

/**
 * Calls back after a time in which this process could also work. While something else keeps the event loop busy no answer is read either, and a plain timer
 * would blame the other side; here a stall counts as a tenth of the wait at most.
 *
 * @returns ends it
 */
export const timeout = (milliseconds: number, onTimeOut: () => void): (() => void) => {
  let parts = 0
  const timer = setInterval(() => {
    parts += 1
    if (parts < PARTS) return
    clearInterval(timer)
    onTimeOut()
  }, milliseconds / PARTS)
  return () => clearInterval(timer)
}

export type TransportAnswer = { status: number; headers: IncomingHttpHeaders; body: string; asked: Asked }

export type TransportLimits = {
  /** Name resolved, TCP and TLS connected. Default 3,000. */
  connectMilliseconds: number
  /** From the call to the last byte. Default 15,000. */
  totalMilliseconds: number
  /** Besides what each request may have (`bounds.ts`). Default: nothing. */
  maxAnswerBytes: number
}

/** One API server, as every connection to it is made. */
export type Target = {
  url: URL
  /** Of `tls.connect`. Holds the key: never log it. */
  tls: AgentOptions
  agent: Agent
  authorization: string | undefined
  lookup: GuardedLookup
  /** In place of TCP; then no name is looked up. */
  dial: Dial | undefined
  limits: TransportLimits
  trust: Trust
}

/** A stream to a port of a pod, or the answer of an API server that does not forward. */
export type Forwarded = { stream: Duplex } | { answer: TransportAnswer }

/** Forwards a pod's port through one API server. @throws the errors of `errors.ts` up to the answer */
export type ForwardPort = (target: Target, pod: PodPort) => Promise<Forwarded>

/** Port that a URL means. */
export const portOf = (url: URL): number => (url.port === '' ? 443 : Number(url.port))

/** Path below the server's own, for example behind a proxy. */
export const pathBelow = (url: URL, path: string): string => `${url.pathname.replace(/\/+$/, '')}${path}`

/**
 * The checked addresses of the server; none when it is dialled.
 *
 * @throws AddressForbidden, DnsLookupFailed
 */
export const addressesOf = async (
  { url, lookup, dial, limits }: Target,
  asked: Asked,
): Promise<readonly ResolvedAddress[]> => {
  if (dial !== undefined) return []
  let stop: (() => void) | undefined
  const tooLate = new Promise<never>((_, reject) => {
    stop = timeout(limits.connectMilliseconds, () => reject(dnsLookupFailed(asked, 'time-out')))
  })
  try {
    return await Promise.race([lookup.addresses(hostOf(url)), tooLate])
  } catch (error) {
    throw error instanceof AppError ? error : dnsLookupFailed(asked, codeOf(error))
  } finally {
    stop?.()
  }
}

/** `lookup` of a socket that knows only the checked addresses. */
export const pinnedTo =
  (addresses: readonly ResolvedAddress[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family ?? 4)
  }

/** Options of `tls.connect` for one connection. Holds the key: never log it. */
export const tlsOptions = (connection: Connection, url: URL): AgentOptions => {
  const { caPem, tlsServerName, tlsVerify, credential } = connection
  const expected = tlsServerName ?? hostOf(url)
  return {
    // No SNI for addresses (RFC 6066 section 3).
    servername: isIP(expected) === 0 ? expected : '',
    // Node would check the host of the URL when SNI is empty.
    checkServerIdentity: (_host, certificate) => checkServerIdentity(expected, certificate),
    rejectUnauthorized: tlsVerify,
    minVersion: 'TLSv1.2',
    // Like kubectl: an intermediate in the CA data is trusted by itself (cases/PE-10).
    allowPartialTrustChain: true,
    ...(caPem === null ? {} : { ca: caPem }),
    ...(credential.kind === 'client-certificate'
      ? { cert: credential.certificatePem, key: credential.keyPem.reveal() }
      : {}),
  }
}
