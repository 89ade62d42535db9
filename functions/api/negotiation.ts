import { listInWords, quote } from '../core/values/wording.ts'
import { AnswerNotAcceptable, MicroversionMalformed, MicroversionUnsupported } from './errors.ts'

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

const JSON_TYPE = 'application/json'

type Range = { type: string; refused: boolean }

/** Media ranges in the order of the header; without the fine grades of `q`, of which only 0 counts. */
const rangesOf = (accept: string): Range[] =>
  accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return { type, refused: parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) }
  })

const fits = (range: string, type: string): boolean =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))

/**
 * Demands that JSON is acceptable, or one of `others`; an empty header is none (openstacksdk sends one).
 *
 * @throws AnswerNotAcceptable
 */
export const requireAcceptable = (accept: string | undefined, others: readonly string[] = []): void => {
  if (accept === undefined || accept.trim() === '') return
  const types = [JSON_TYPE, ...others]
  if (rangesOf(accept).some(({ type, refused }) => !refused && types.some((known) => fits(type, known)))) return
  const named = listInWords(types.map((type) => `"${type}"`))
  throw new AnswerNotAcceptable(`This API answers with ${named} only; the header Accept must allow it.`)
}

/** True when a media type is named before anything that JSON fits. */
export const prefers = (accept: string | undefined, wanted: string): boolean => {
  const ranges = rangesOf(accept ?? '').filter(({ refused }) => !refused)
  return ranges.find(({ type }) => type === wanted || fits(type, JSON_TYPE))?.type === wanted
}
