import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { ApiSettings } from './settings.ts'

const first = (header: string | undefined): string => header?.split(',')[0]?.trim() ?? ''

const HOST = /^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?$/
/** Longest name of a host (RFC 1035 2.3.4), with a port. */
const HOST_MAX = 253 + ':65535'.length
/** Segments are no `.` or `..`, which clients would take away with those before them. */
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?$/

/** Looking like one is not enough: of `300.1.1.1` and `h:99999` no URL can be made. */
const isHost = (text: string): boolean => text.length <= HOST_MAX && HOST.test(text) && URL.canParse(`https://${text}`)

/** Path of a base URL, `''` at the root. */
const pathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, '')

type Forwarded = { scheme?: string; host?: string; path?: string }

const forwardedOf = (headers: APIGatewayProxyEventV2['headers']): Forwarded => {
  const scheme = first(headers['x-forwarded-proto']).toLowerCase()
  const host = first(headers['x-forwarded-host'])
  const prefix = first(headers['x-forwarded-prefix'])
  return {
    ...(scheme === 'http' || scheme === 'https' ? { scheme } : {}),
    ...(isHost(host) ? { host } : {}),
    ...(PREFIX.test(prefix) ? { path: prefix.replace(/\/+$/, '') } : {}),
  }
}

/**
 * Where links point: the configured base URL, in which what a trusted proxy forwards takes the place of the host (`X-Forwarded-Host`), the
 * scheme (`X-Forwarded-Proto`) and the mount path (`X-Forwarded-Prefix`), each by itself. A forwarded value that is none of that is passed
 * over, because links must not carry what anybody can send.
 */
export const baseUrlOf = (
  settings: Pick<ApiSettings, 'baseUrl' | 'trustForwarded'>,
  headers: APIGatewayProxyEventV2['headers'],
): string => {
  const configured = settings.baseUrl.replace(/\/+$/, '')
  const forwarded = settings.trustForwarded ? forwardedOf(headers) : {}
  if (Object.keys(forwarded).length === 0) return configured
  const own = new URL(configured)
  const { scheme = own.protocol.replace(':', ''), host = own.host, path = pathOf(configured) } = forwarded
  return `${scheme}://${host}${path}`
}

/**
 * A request's path without the mount path of the base URL: proxies take it away before they pass a request on, or leave it, and a base
 * path mapping of API Gateway leaves it.
 */
export const pathBelow = (baseUrl: string, rawPath: string): string => {
  const mount = pathOf(baseUrl)
  return rawPath === mount || rawPath.startsWith(`${mount}/`) ? rawPath.slice(mount.length) : rawPath
}
