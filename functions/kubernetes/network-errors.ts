import type { AppError } from '../core/values/app-error.ts'
import {
  ConnectFailed,
  ConnectTimedOut,
  CredentialRejected,
  DnsLookupFailed,
  NotKubernetes,
  RequestTimedOut,
  TlsVerificationFailed,
} from './errors.ts'

/** What was asked of whom, for messages: never the query, a body or a header. */
export type Asked = { method: string; path: string; host: string }

/** `GET /version of api.example.com:6443`. */
export const describeAsked = ({ method, path, host }: Asked): string => `${method} ${path} of ${host}`

/** OpenSSL's verification codes, as Node has them in `error.code`, and what they mean. */
const TLS_FAULTS = new Map<string, readonly [fault: string, why: string]>([
  ['CERT_HAS_EXPIRED', ['expired', 'its certificate has expired']],
  ['CERT_NOT_YET_VALID', ['not-yet-valid', 'its certificate is not valid yet']],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    ['wrong-name', 'its certificate is for another name; set tls-server-name if that is right'],
  ],
  ['HOSTNAME_MISMATCH', ['wrong-name', 'its certificate is for another name; set tls-server-name if that is right']],
  ['CERT_REVOKED', ['revoked', 'its certificate is revoked']],
  ['INVALID_PURPOSE', ['wrong-purpose', 'its certificate is not one for servers']],
])
const UNKNOWN_CA = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
  'PATH_LENGTH_EXCEEDED',
  'CERT_CHAIN_TOO_LONG',
])
/** The answer is not TLS, or not HTTP. */
const OTHER_PROTOCOL =
  /^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|HPE_.*|Z_DATA_ERROR|Z_BUF_ERROR)$/
/**
 * OpenSSL's reasons (`SSL_R_…` of openssl/sslerr.h; alerts are 1000 + alert number, RFC 8446 section 6) as the `ERR_SSL_…` that Node makes
 * of them after the handshake. During the handshake Node says EPROTO for all.
 */
const HANDSHAKE_REASONS = new Map([
  [156, 'ERR_SSL_HTTP_REQUEST'],
  [198, 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
  [267, 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [1042, 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'],
  [1043, 'ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE'],
  [1044, 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED'],
  [1045, 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED'],
  [1046, 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN'],
  [1048, 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'],
  [1049, 'ERR_SSL_TLSV1_ALERT_ACCESS_DENIED'],
])
/** OpenSSL's packed error number, library 20 (SSL). Node keeps it in the text of an EPROTO and nowhere else. */
const PACKED_ERROR = /\berror:0A([0-9A-F]{6}):/
/** Alerts by which a server refuses our client certificate. */
const CLIENT_CERTIFICATE_ALERT =
  /^ERR_SSL_\w*ALERT_(?:CERTIFICATE_\w+|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/

/** `error.code` of Node's system, TLS and parser errors; of an AggregateError too. Empty when there is none. */
export const codeOf = (error: unknown): string => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}

/** What the server's certificate was checked against: the kubeconfig's own CA, or else the roots of the operating system. */
export type Trust = { givenCa: boolean }

/**
 * Our error for a failed connection, distinguished by code and never by text. Has no cause: Node's errors of the TLS and HTTP layers may
 * hold a header's value (cases/JN-17).
 */
export const networkError = (asked: Asked, error: unknown, { givenCa }: Trust): AppError => {
  const code = preciseCode(error)
  const details = { ...asked, code }
  const what = describeAsked(asked)
  const tls = tlsFault(code, givenCa)
  if (tls !== undefined) {
    return new TlsVerificationFailed(`${what} failed: the server can't be trusted, ${tls.why}.`, {
      details: { ...details, fault: tls.fault },
    })
  }
  if (CLIENT_CERTIFICATE_ALERT.test(code)) {
    return new CredentialRejected(`${what} failed: the server refuses the client certificate.`, { details })
  }
  if (OTHER_PROTOCOL.test(code)) {
    return new NotKubernetes(`${what} failed: what answers does not speak HTTPS as a Kubernetes API server does.`, {
      details,
    })
  }
  if (code === 'ETIMEDOUT' || code === 'ERR_SOCKET_CONNECTION_TIMEOUT') return connectTimedOut(asked, undefined)
  return new ConnectFailed(`${what} failed: ${reasonOf(code)}; check address, port and firewall.`, { details })
}

const preciseCode = (error: unknown): string => {
  const code = codeOf(error)
  const packed = code === 'EPROTO' && error instanceof Error ? PACKED_ERROR.exec(error.message)?.[1] : undefined
  return (packed && HANDSHAKE_REASONS.get(Number.parseInt(packed, 16))) ?? code
}

const tlsFault = (code: string, givenCa: boolean): { fault: string; why: string } | undefined => {
  const known = TLS_FAULTS.get(code)
  if (known !== undefined) return { fault: known[0], why: known[1] }
  if (UNKNOWN_CA.has(code)) {
    return {
      fault: 'unknown-ca',
      why: givenCa
        ? 'its certificate is not signed by the given CA; check certificate-authority-data'
        : "its certificate is not signed by a public CA and the kubeconfig has no CA; put the cluster's own, PEM in base64, into certificate-authority-data under clusters[].cluster",
    }
  }
  if (CLIENT_CERTIFICATE_ALERT.test(code) || OTHER_PROTOCOL.test(code)) return
  return /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)
    ? { fault: 'handshake', why: `the TLS handshake failed (${code})` }
    : undefined
}

const REASONS = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed by the other side'],
  ['EHOSTUNREACH', 'there is no route to the host'],
  ['ENETUNREACH', 'there is no route to the network'],
])

const reasonOf = (code: string): string =>
  REASONS.get(code) ?? `the connection broke (${code === '' ? 'no code' : code})`

export const connectTimedOut = (asked: Asked, milliseconds: number | undefined): ConnectTimedOut =>
  new ConnectTimedOut(
    `${describeAsked(asked)} failed: no connection${milliseconds === undefined ? '' : ` within ${milliseconds / 1000} s`}; check address, port and firewall.`,
    { details: { ...asked, milliseconds } },
  )

export const requestTimedOut = (asked: Asked, milliseconds: number): RequestTimedOut =>
  new RequestTimedOut(
    `${describeAsked(asked)} failed: connected, but no whole answer within ${milliseconds / 1000} s.`,
    {
      details: { ...asked, milliseconds },
    },
  )

export const dnsLookupFailed = (asked: Asked, code: string): DnsLookupFailed =>
  new DnsLookupFailed(
    `${describeAsked(asked)} failed: the name can't be resolved (${code || 'no answer'}); check the server's name.`,
    {
      details: { ...asked, code },
    },
  )
