/** Headers by lower-case name. */
type Headers = Readonly<Record<string, string | undefined>>

/** Where requests reach us. */
export type OwnAddress = {
  port: number
  /** Of the proxy in front of us, whose host is ours then. */
  publicUrl?: string | undefined
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** Names and ports that are ours: pages on other ports of this machine are not, and names that resolve to it neither (DNS rebinding). */
const addressesOf = ({ port, publicUrl }: OwnAddress): URL[] => {
  const loopback = LOOPBACK.map((name) => new URL(`http://${name}:${port}`))
  return publicUrl === undefined ? loopback : [...loopback, new URL(publicUrl)]
}

/** What `Host` may be for an address: the port may be left out where the scheme implies it. */
const hostsOf = ({ protocol, hostname, host, port }: URL): string[] =>
  port === '' ? [host, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host]

/**
 * The address of ours that a text names. The text is compared, not parsed: parsers let more pass, as in `evil@127.0.0.1` (RFC 9110 section 4.2.4)
 * and `127.1`.
 */
const namedBy = (host: string, ours: OwnAddress): URL | undefined =>
  addressesOf(ours).find((address) => hostsOf(address).includes(host.toLowerCase()))

/** Host and port of a request target in absolute form, which counts before `Host` (RFC 9112 section 3.2.2). */
const authorityOf = (target: string): string | undefined => /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1]

/** A page of this very address: there is none but behind a proxy. */
const isOwnOrigin = (origin: string, to: URL, { publicUrl }: OwnAddress): boolean =>
  origin === to.origin || (publicUrl !== undefined && origin === new URL(publicUrl).origin)

/** What a browser says of where a request comes from. Absent for other clients, and `none` for what somebody typed. */
const FOREIGN_SITES = ['cross-site', 'same-site']

/**
 * True for what a web page may have made a browser on this machine send: an `Origin` that is not ours to the port, a `Sec-Fetch-Site` that
 * says so, a `Host` that is not ours or not there, a target that names another, a WebSocket. Without tokens everybody on this machine is admin; pages
 * are not meant by that, neither those of the internet nor those that other programs serve here. Other clients send a `Host` and none of the others.
 *
 * @param target as in the request line
 */
export const isForeign = (headers: Headers, target: string, ours: OwnAddress): boolean => {
  const { host = '', origin } = headers
  const to = namedBy(host, ours)
  const authority = authorityOf(target)
  if (to === undefined) return true
  if (authority !== undefined && namedBy(authority, ours) === undefined) return true
  if (origin !== undefined && !isOwnOrigin(origin, to, ours)) return true
  if (headers.upgrade?.toLowerCase().includes('websocket')) return true
  return FOREIGN_SITES.includes(headers['sec-fetch-site']?.toLowerCase() ?? '')
}

/**
 * True for a body that says of itself what a page may send to anywhere without asking: nothing, a form, or text. What our clients send is JSON
 * and says so; without a body any type will do (magnum-rest.md section 0 rule 9).
 */
export const isUndeclaredBody = (headers: Headers, bytes: number): boolean => {
  if (bytes === 0) return false
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  return !/^application\/(?:[a-z0-9.-]+\+)?json$/.test(type)
}

/**
 * True for the URL of a hook: what posts to it sends what it likes, and the body counts for nothing. A page does not know the token, which is in the URL.
 *
 * @param target as in the request line
 */
export const takesAnyBody = (target: string): boolean =>
  /^(?:[a-z]+:\/\/[^/?#]*)?[^?#]*\/v1\/hooks\/[^/?#]+\?/i.test(target)
