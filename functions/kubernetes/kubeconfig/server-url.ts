import { KubeconfigRejected } from './fields.ts'

/** Longest URL, characters: an API server's has some 80; regular expressions below need a bound. */
const MAX_LENGTH = 2_048

/**
 * Checks and normalises the URL of an API server: `https`, no user info, query or fragment, no trailing slash. A base path stays
 * (Rancher). The host keeps its spelling where only upper case differs (cases/KC-16).
 *
 * @throws KubeconfigRejected `invalid_server_url`, `insecure_server_url`
 */
export const serverUrl = (text: string, field: string): string => {
  const given = text.trim()
  if (given.length > MAX_LENGTH) throw invalid(field, `it has more than ${MAX_LENGTH} characters`)
  if (/^http:/i.test(given)) {
    throw new KubeconfigRejected(
      'insecure_server_url',
      `${field} begins with http://, so a credential would be sent in clear; use the https:// address of the API server.`,
      { fields: [field] },
    )
  }
  const url = /^https:\/\/[^/\\]/i.test(given) ? parsed(given) : undefined
  if (url === undefined) throw invalid(field, correction(given))
  if (hasExtras(url)) throw invalid(field, 'remove user name, password, query and fragment')
  const normal = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  const kept = given.replace(/\/+$/, '')
  return kept.toLowerCase() === normal.toLowerCase() ? kept : normal
}

const parsed = (text: string): URL | undefined => {
  const url = URL.parse(text)
  return url !== null && url.port !== '0' ? url : undefined
}

const hasExtras = (url: URL): boolean => `${url.username}${url.password}${url.search}${url.hash}` !== ''

const invalid = (field: string, hint: string): KubeconfigRejected =>
  new KubeconfigRejected(
    'invalid_server_url',
    `${field} is not an address like https://api.example.com:6443; ${hint}.`,
    {
      fields: [field],
    },
  )

/** The text comes back in the hint only when nothing but a host, port and path is in it. */
const correction = (given: string): string => {
  if (/^(?:https:\/\/)?[0-9a-f]*:[0-9a-f:]*:[0-9a-f:.]*(?:\/|$)/i.test(given))
    return 'put an IPv6 address in brackets: https://[2001:db8::1]:6443'
  const url = /^[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/.test(given) ? parsed(`https://${given}`) : undefined
  return url === undefined ? 'correct it' : `did you mean https://${given}`
}
