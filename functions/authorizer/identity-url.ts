const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])$/

/**
 * True for a URL that an identity provider may have: https, or http on loopback; without user, query and fragment. Tokens and passwords go
 * there, so plain HTTP must not leave this machine.
 */
export const isIdentityUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
  return isPrivate && `${username}${password}${search}${hash}` === ''
}
