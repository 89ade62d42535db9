import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import { InvalidRequest, requireSize } from '../errors.ts'
import { isShownAsIs, quote, SHOWN_RULE } from '../values/wording.ts'

const DNS_LABEL = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/

type Named = Pick<FederationDriverDescription, 'id' | 'properties'>

const isDnsName = (text: string): boolean => {
  const name = text.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every((label) => DNS_LABEL.test(label))
}

const dnsZoneFaults = (zone: string | undefined): string[] =>
  zone === undefined || isDnsName(zone)
    ? []
    : [`"properties.dns-zone" is ${quote(zone)}; it must be a DNS name such as "example.com".`]

/** Properties whose key or value does not show as it is; keys are quoted, so that the answer shows them escaped. */
const controlFaults = (properties: Readonly<Record<string, string>>): string[] =>
  Object.entries(properties)
    .filter(([key, value]) => !isShownAsIs(key) || !isShownAsIs(value))
    .map(([key]) => `${quote(`properties.${key}`)} ${SHOWN_RULE}, in its key and value.`)

const asOption = (key: string): string => key.toLowerCase().replaceAll(/[_. ]/g, '-')

/** Options of the driver in another spelling, such as `member_role`: kept as an unknown key they would do nothing, unseen. */
const spellingFaults = ({ id, properties: options }: Named, properties: Readonly<Record<string, string>>): string[] => {
  const known = options.map(({ key }) => key)
  return Object.keys(properties).flatMap((key) => {
    const meant = known.includes(key) ? undefined : known.find((option) => option === asOption(key))
    if (meant === undefined) return []
    return [`${quote(`properties.${key}`)} is not an option of ${id}; did you mean ${quote(meant)}?`]
  })
}

/**
 * Checks the properties that a federation would have: `dns-zone` (optional), and what its driver knows. Other keys are kept, unless
 * they are an option of the driver in another spelling.
 *
 * @param more faults found elsewhere
 * @throws InvalidRequest naming every fault, RequestTooLarge
 */
export const checkProperties = (
  driver: Named & Pick<FederationDriverDescription, 'validateProperties'>,
  properties: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): void => {
  requireSize('properties', properties)
  const faults = [
    ...dnsZoneFaults(properties['dns-zone']),
    ...controlFaults(properties),
    ...spellingFaults(driver, properties),
    ...driver.validateProperties(properties),
    ...more,
  ]
  if (faults.length > 0) throw new InvalidRequest(faults.join(' '))
}
