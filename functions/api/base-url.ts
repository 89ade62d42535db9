import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { ApiSettings } from './settings.ts'

const first = (header: string | undefined): string => header?.split(',')[0]?.trim() ?? ''

const HOST = /^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?$/
const PREFIX = /^(?:\/[\w.~-]+)+\/?$/

/**
 * Where links point: the configured base URL, or what a trusted proxy forwards (scheme, host, mount path). A forwarded value that
 * is no host or path is passed over, because links must not carry what anybody can send.
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
  return `${scheme}://${host}${PREFIX.test(prefix) ? prefix.replace(/\/+$/, '') : ''}`
}
