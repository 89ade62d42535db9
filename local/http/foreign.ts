const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

const isLoopback = (url: string): boolean => URL.canParse(url) && LOOPBACK.has(new URL(url).hostname)

/**
 * True for what a web page may have made a browser on this machine send: a foreign `Origin`, or a `Host` that is not ours (DNS rebinding).
 * Without tokens everybody on this machine is admin; pages of the internet are not meant by that. Other clients send no `Origin`.
 */
export const isForeign = (headers: Readonly<Record<string, string | undefined>>): boolean => {
  const { host, origin } = headers
  return (host !== undefined && !isLoopback(`http://${host}`)) || (origin !== undefined && !isLoopback(origin))
}
