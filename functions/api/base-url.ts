import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { ApiSettings } from './settings.ts'

const first = (header: string | undefined): string => header?.split(',')[0]?.trim() ?? ''

const HOST = /^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?$/
const PREFIX = /^(?:\/[\w.~-]+)+\/?$/

/** Path of a base URL, `''` at the root. */
const pathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, '')

/**
 * Where links point: the configured base URL, or what a trusted proxy forwards. Its `X-Forwarded-Host` replaces the host, and then
 * `X-Forwarded-Proto` the scheme and `X-Forwarded-Prefix` the mount path. A forwarded value that is no host or path is passed over,
 * because links must not carry what anybody can send.
 */
export const baseUrlOf = (
  settings: Pick<ApiSettings, 'baseUrl' | 'trustForwarded'>,
  headers: APIGatewayProxyEventV2['headers'],
): string => {
  const configured = settings.baseUrl.replace(/\/+$/, '')
  const host = first(headers['x-forwarded-host'])
  if (!settings.trustForwarded || !HOST.test(host)) return configured
  const proto = first(headers['x-forwarded-proto']).toLowerCase()
  const scheme = proto === 'http' || proto === 'https' ? proto : new URL(configured).protocol.replace(':', '')
  const prefix = first(headers['x-forwarded-prefix'])
  return `${scheme}://${host}${PREFIX.test(prefix) ? prefix.replace(/\/+$/, '') : pathOf(configured)}`
}

/**
 * A request's path without the mount path of the base URL: proxies take it away before they pass a request on, or leave it, and a base
 * path mapping of API Gateway leaves it.
 */
export const pathBelow = (baseUrl: string, rawPath: string): string => {
  const mount = pathOf(baseUrl)
  return rawPath === mount || rawPath.startsWith(`${mount}/`) ? rawPath.slice(mount.length) : rawPath
}
