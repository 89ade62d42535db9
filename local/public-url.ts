import { OptionInvalid } from './option-invalid.ts'

const EXAMPLE = 'https://cloud.example.com/magnum'

/** The mount path is compared with paths of requests, so that it holds nothing that could be escaped in two ways. */
const MOUNT_PATH = /^\/*$|^(?:\/[\w.~-]+)+\/*$/

const faultOf = ({ protocol, pathname, search, hash, username, password }: URL): string | undefined => {
  if (protocol !== 'http:' && protocol !== 'https:') return 'does not begin with http:// or https://'
  if (username !== '' || password !== '') return 'holds a user or password'
  if (search !== '' || hash !== '') return 'holds a query or fragment'
  if (!MOUNT_PATH.test(pathname)) return 'has a path with other characters than letters, digits, "-", "_", "." and "~"'
  if (/\/v1\/*$/.test(pathname)) return 'ends in /v1, which fedplane adds itself'
  return undefined
}

/**
 * Scheme, host and mount path under which clients reach this server, without a slash at the end.
 *
 * @throws OptionInvalid. The message shows no URL with a user: it may hold a password
 */
export const publicUrlOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fault = url === undefined ? 'is no URL' : faultOf(url)
  if (url !== undefined && fault === undefined) return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  throw new OptionInvalid(`FEDPLANE_PUBLIC_URL ${fault}. Set it to scheme, host and mount path, like ${EXAMPLE}.`)
}

/** Whether `X-Forwarded-*` is believed. @throws OptionInvalid */
export const trustForwardedOf = (text: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new OptionInvalid(
    `FEDPLANE_TRUST_FORWARDED is ${JSON.stringify(text)}. Set it to true behind a proxy that sets X-Forwarded-Host itself, else to false.`,
  )
}
