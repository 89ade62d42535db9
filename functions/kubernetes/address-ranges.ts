import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** What an address is for: `public`, one of the two groups that a policy may allow, or a group that is never connected to. */
export type AddressUse = { group: 'public' | 'loopback' | 'private' | 'never'; name: string }

/** Services of clouds that hand out credentials or rule the machine, outside of the link-local ranges. */
const METADATA = [
  '100.100.100.200/32', // Alibaba Cloud
  '168.63.129.16/32', // Azure
  'fd00:ec2::/32', // AWS: metadata ::254, EKS Pod Identity ::23
  'fd20:ce::254/128', // Google Cloud
].map((cidr) => ipaddr.parseCIDR(cidr))

/** IANA special-purpose registries (RFC 6890) as ipaddr.js names them; names not listed here are never connected to. */
const GROUPS = new Map<string, AddressUse['group']>([
  ['unicast', 'public'],
  ['loopback', 'loopback'],
  ['private', 'private'],
  ['carrierGradeNat', 'private'],
  ['uniqueLocal', 'private'],
])

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')
/** The well-known prefix of NAT64 (RFC 6052); DNS64 answers with it for ordinary names, so the IPv4 address inside decides. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')

/** True when the address is in the range, which may be of the other family. */
export const isInRange = (address: Address, [network, bits]: [Address, number]): boolean =>
  address.kind() === network.kind() && address.match([network, bits] as [ipaddr.IPv4 & ipaddr.IPv6, number])

/**
 * The address that a connection to `text` really reaches: IPv4 inside IPv4-mapped IPv6 and NAT64.
 *
 * @throws TypeError when `text` is no IP address
 */
export const effectiveAddress = (text: string): Address => {
  if (!ipaddr.isValid(text)) throw new TypeError('not an IP address')
  const address = ipaddr.parse(text)
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (isInRange(address, NAT64)) return new ipaddr.IPv4(address.toByteArray().slice(12))
  return address
}

/** 6to4, Teredo, IPv4-compatible and other ways to write an IPv4 address are in no group of `GROUPS`, so they are `never`. */
export const useOf = (address: Address): AddressUse => {
  if (METADATA.some((range) => isInRange(address, range))) return { group: 'never', name: 'cloud metadata' }
  const name = address.range()
  const group = GROUPS.get(name) ?? 'never'
  const isOutside = name === 'unicast' && address.kind() === 'ipv6' && !isInRange(address, GLOBAL_UNICAST)
  return isOutside ? { group: 'never', name: 'unassigned' } : { group, name }
}
