import ipaddr from 'ipaddr.js'

/** Address ranges, as ipaddr.js names them, that fedplane may connect to: what is in no such range is refused by the address guard. */
const USABLE = new Set(['unicast', 'private', 'carrierGradeNat', 'uniqueLocal'])

/** Prefix length from which on a network lies within one special range; a wider one has ordinary addresses, too. */
const SPECIAL_FROM = 4

/** What a network is for. `useless`: no address in it is ever connected to, so whoever lists it is mistaken. */
export type NetworkUse = 'usable' | 'loopback' | 'useless'

/** @param cidr a network with its prefix length, which has been checked */
export const useOfNetwork = (cidr: string): NetworkUse => {
  const [address, bits] = ipaddr.parseCIDR(cidr)
  const range = address.range()
  if (range === 'loopback') return 'loopback'
  return USABLE.has(range) || bits < SPECIAL_FROM ? 'usable' : 'useless'
}
