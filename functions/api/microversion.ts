import { quote } from '../core/values/wording.ts'
import { MicroversionUnsupported } from './errors.ts'
import { MicroversionMalformed } from './framework-errors.ts'

/** The API's minor versions: 1.1 to 1.14 (magnum-rest.md 1.4). */
export const MINOR_MIN = 1
export const MINOR_MAX = 14

const SERVICE = 'container-infrastructure-management'
const SERVICES = [SERVICE, 'container-infrastructure', 'container-infra']
const HEADER = 'OpenStack-API-Version'

/** Version headers of every answer under `/v1`, errors included. `effective` is `1.<minor>`, or what was asked for in vain. */
export const versionHeaders = (effective: string): Record<string, string> => ({
  [HEADER]: `${SERVICE} ${effective}`,
  'OpenStack-API-Minimum-Version': `${SERVICE} 1.${MINOR_MIN}`,
  'OpenStack-API-Maximum-Version': `${SERVICE} 1.${MINOR_MAX}`,
  Vary: HEADER,
})

const malformed = (value: string): MicroversionMalformed =>
  new MicroversionMalformed(
    `The header ${HEADER} is ${quote(value)}; it must be "container-infra <version>", for example "container-infra 1.14" or "container-infra latest".`,
  )

/**
 * The minor version asked for. No header means 1.1; `latest` is accepted with any service type.
 *
 * @throws MicroversionMalformed, MicroversionUnsupported (`details.requested`)
 */
export const parseMicroversion = (header: string | undefined): number => {
  if (header === undefined || header.trim() === '') return MINOR_MIN
  const [service = '', version, ...more] = header.trim().split(/\s+/)
  if (version === undefined || more.length > 0) throw malformed(header)
  if (version.toLowerCase() === 'latest') return MINOR_MAX
  const numbers = /^([0-9]{1,6})\.([0-9]{1,6})$/.exec(version)
  if (numbers === null || !SERVICES.includes(service.toLowerCase())) throw malformed(header)
  const minor = Number(numbers[2])
  if (Number(numbers[1]) === 1 && minor >= MINOR_MIN && minor <= MINOR_MAX) return minor
  throw new MicroversionUnsupported(
    `Version ${version} is not offered; this server speaks 1.${MINOR_MIN} to 1.${MINOR_MAX}.`,
    { details: { requested: version } },
  )
}
