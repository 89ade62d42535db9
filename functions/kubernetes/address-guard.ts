import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { AddressForbidden } from './errors.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** What an address is for: `public`, one of the two groups that a policy may allow, or a group that is never connected to. */
type AddressUse = { group: 'public' | 'loopback' | 'private' | 'never'; name: string }

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
const isInRange = (address: Address, [network, bits]: [Address, number]): boolean =>
  address.kind() === network.kind() && address.match([network, bits] as [ipaddr.IPv4 & ipaddr.IPv6, number])

/**
 * The address that a connection to `text` really reaches: IPv4 inside IPv4-mapped IPv6 and NAT64.
 *
 * @throws TypeError when `text` is no IP address
 */
const effectiveAddress = (text: string): Address => {
  if (!ipaddr.isValid(text)) throw new TypeError('not an IP address')
  const address = ipaddr.parse(text)
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (isInRange(address, NAT64)) return new ipaddr.IPv4(address.toByteArray().slice(12))
  return address
}

/** 6to4, Teredo, IPv4-compatible and other ways to write an IPv4 address are in no group of `GROUPS`, so they are `never`. */
const useOf = (address: Address): AddressUse => {
  if (METADATA.some((range) => isInRange(address, range))) return { group: 'never', name: 'cloud metadata' }
  const name = address.range()
  const group = GROUPS.get(name) ?? 'never'
  const isOutside = name === 'unicast' && address.kind() === 'ipv6' && !isInRange(address, GLOBAL_UNICAST)
  return isOutside ? { group: 'never', name: 'unassigned' } : { group, name }
}

/**
 * Which addresses may be connected to. Link-local, metadata, unspecified, multicast, broadcast, documentation, benchmarking and other
 * special-purpose ranges are denied by every policy, whatever way the address is written.
 */
export type AddressPolicy = {
  name: 'local' | 'restricted'
  /** Name of the range that makes the address denied, for example `linkLocal`; null when it is allowed. */
  denied(address: string): string | null
}

/** For one machine: loopback and private addresses are allowed besides public ones. */
export const localPolicy: AddressPolicy = {
  name: 'local',
  denied: (text) => {
    const { group, name } = useOf(effectiveAddress(text))
    return group === 'never' ? name : null
  },
}

/** True for an address of this machine alone. */
export const isLoopbackAddress = (text: string): boolean => useOf(effectiveAddress(text)).group === 'loopback'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** True for a network of loopback addresses alone: of 127.0.0.0/8, or ::1/128. */
const isLoopback = ([address, bits]: Network): boolean =>
  address.range() === 'loopback' && bits >= (address.kind() === 'ipv4' ? 8 : 128)

/**
 * For AWS: public addresses, and of private, shared and unique-local ones only those in `allowedCidrs`. Loopback, where Lambda has its Runtime
 * API, is in none of them unless it is listed itself, which settings refuse but for an emulator of AWS: 0.0.0.0/0 does not mean it.
 *
 * @throws Error for text that is no CIDR
 */
export const restrictedPolicy = (allowedCidrs: readonly string[]): AddressPolicy => {
  const allowed = allowedCidrs.map((cidr) => ipaddr.parseCIDR(cidr))
  return {
    name: 'restricted',
    denied: (text) => {
      const address = effectiveAddress(text)
      const { group, name } = useOf(address)
      if (group === 'public') return null
      if (group === 'never') return name
      const listed = group === 'loopback' ? allowed.filter(isLoopback) : allowed
      return listed.some((range) => isInRange(address, range)) ? null : name
    },
  }
}

/** Host of a URL without the brackets of an IPv6 literal: a name, or an address as the URL parser normalised it. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/**
 * Refuses a denied IP literal before any socket. Names are checked when they are resolved. The URL parser turns decimal, octal, hex,
 * short and full-width spellings into dotted ones.
 *
 * @throws AddressForbidden with `details.class` = `forbidden_address`
 */
export const checkServerUrl = (server: string, policy: AddressPolicy): URL => {
  const url = new URL(server)
  const host = hostOf(url)
  if (isIP(host) !== 0) checkAddress(host, host, policy)
  return url
}

/** True for an address of this machine alone, and for its usual name. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && isLoopbackAddress(host))

/** One address to connect to. */
export type ResolvedAddress = { address: string; family: 4 | 6 }

/** All addresses of a name, in the order to try. Rejects with the resolver's own error. */
export type Resolver = (hostname: string) => Promise<readonly ResolvedAddress[]>

/** The operating system's resolver: also /etc/hosts, as kubectl does. */
export const systemResolver: Resolver = async (hostname) =>
  (await lookup(hostname, { all: true, order: 'verbatim' })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }))

/** Addresses of a host that have been checked. */
export type GuardedLookup = {
  /** Resolves at the first call and keeps the answer. @throws AddressForbidden, and the resolver's own error */
  addresses(host: string): Promise<readonly ResolvedAddress[]>
  /** Forgets the answer for a host, after a connection to it failed. */
  forget(host: string): void
}

/**
 * Resolves a name once, checks *every* address, and answers the same from then on, so that the connection goes to what was checked
 * (no DNS rebinding). One denied address among several denies the name.
 */
export const guardedLookup = (policy: AddressPolicy, resolver: Resolver): GuardedLookup => {
  const pinned = new Map<string, Promise<readonly ResolvedAddress[]>>()
  const resolve = async (host: string): Promise<readonly ResolvedAddress[]> => {
    const family = isIP(host)
    const found = family === 4 || family === 6 ? [{ address: host, family } as const] : await resolver(host)
    for (const { address } of found) checkAddress(host, address, policy)
    return found
  }
  return {
    addresses: (host) => {
      const before = pinned.get(host)
      if (before !== undefined) return before
      const answer = resolve(host)
      pinned.set(host, answer)
      answer.catch(() => pinned.delete(host))
      return answer
    },
    forget: (host) => {
      pinned.delete(host)
    },
  }
}

const checkAddress = (host: string, address: string, policy: AddressPolicy): void => {
  const range = isIP(address) === 0 ? 'unreadable' : policy.denied(address)
  if (range === null) return
  const what = host === address ? `The address ${address}` : `The name ${host} resolves to ${address}, which`
  const remedy = policy.name === 'restricted' ? '; an operator can allow private ranges' : ''
  throw new AddressForbidden(
    `${what} is in a range that fedplane does not connect to (${range}); use an address of the API server that is reachable from fedplane${remedy}.`,
    { details: { class: 'forbidden_address', host, address, range } },
  )
}
