/** Headers by lower-case name. */
type Headers = Readonly<Record<string, string | undefined>>

/** Where requests reach us. */
export type OwnAddress = {
  port: number
  /** Of the proxy in front of us, whose host is ours then. */
  publicUrl?: string | undefined
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** What `Host` may be: name and port, since pages on other ports of this machine are not ours, and names that resolve to it neither (DNS rebinding). */
const hostsOf = ({ port, publicUrl }: OwnAddress): string[] => {
  const loopback = LOOPBACK.map((name) => new URL(`http://${name}:${port}`).host)
  return publicUrl === undefined ? loopback : [...loopback, new URL(publicUrl).host]
}

/** `Host` without a port that its scheme implies, as `URL.host` has it; undefined for text that is no host. */
const normalised = (host: string, { publicUrl }: OwnAddress): string | undefined => {
  const protocol =
    publicUrl?.startsWith('https:') && new URL(publicUrl).hostname === host.split(':')[0] ? 'https' : 'http'
  const url = `${protocol}://${host}`
  return URL.canParse(url) ? new URL(url).host : undefined
}

/** A page of this very address: there is none but behind a proxy. */
const isOwnOrigin = (origin: string, host: string | undefined, { publicUrl }: OwnAddress): boolean =>
  (host !== undefined && origin === `http://${host}`) ||
  (publicUrl !== undefined && origin === new URL(publicUrl).origin)

/** What a browser says of where a request comes from. Absent for other clients, and `none` for what somebody typed. */
const FOREIGN_SITES = ['cross-site', 'same-site']

/**
 * True for what a web page may have made a browser on this machine send: an `Origin` that is not ours to the port, a `Sec-Fetch-Site` that
 * says so, a `Host` that is not ours, a WebSocket. Without tokens everybody on this machine is admin; pages are not meant by that, neither
 * those of the internet nor those that other programs serve here. Other clients send none of these headers.
 */
export const isForeign = (headers: Headers, ours: OwnAddress): boolean => {
  const { host, origin } = headers
  const to = host === undefined ? undefined : normalised(host, ours)
  if (host !== undefined && !(to !== undefined && hostsOf(ours).includes(to))) return true
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
