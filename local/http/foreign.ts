const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

const isOurs = (url: string, publicUrl: string | undefined): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return LOOPBACK.has(hostname) || (publicUrl !== undefined && hostname === new URL(publicUrl).hostname)
}

/**
 * True for what a web page may have made a browser on this machine send: a foreign `Origin`, or a `Host` that is not ours (DNS rebinding).
 * Without tokens everybody on this machine is admin; pages of the internet are not meant by that. Other clients send no `Origin`.
 *
 * @param publicUrl of the proxy in front of us, whose host is ours then
 */
export const isForeign = (headers: Readonly<Record<string, string | undefined>>, publicUrl?: string): boolean => {
  const { host, origin } = headers
  return (
    (host !== undefined && !isOurs(`http://${host}`, publicUrl)) || (origin !== undefined && !isOurs(origin, publicUrl))
  )
}
