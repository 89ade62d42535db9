import { describe, expect, it, vi } from 'vitest'
import {
  checkServerUrl,
  guardedLookup,
  localPolicy,
  type Resolver,
  restrictedPolicy,
} from '../../../functions/kubernetes/address-guard.ts'
import { AddressForbidden } from '../../../functions/kubernetes/errors.ts'
import { rejectionOf, thrownBy } from '../../support/kubernetes/leaks.ts'

const restricted = restrictedPolicy(['10.1.0.0/16', 'fd12:3456::/32', '127.0.0.0/8'])

/** Never connected to, whatever the policy. Each host is as it stands in a URL. */
const NEVER = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.51.100.7',
  '203.0.113.9',
  '198.18.0.1',
  '198.19.255.255',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[2001:2::1]',
  '[2002:a9fe:a9fe::1]',
  '[2002:0808:0808::1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:0:a9fe:a9fe]',
  '[::a9fe:a9fe]',
  '[::7f00:1]',
  '[4000::1]',
  '[5f00::1]',
  // Other spellings of 169.254.169.254
  '2852039166',
  '0xa9fea9fe',
  '0xA9.0xFE.0xA9.0xFE',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169.16689662',
  '169.254.169.254.',
  '169%2e254%2e169%2e254',
  '１６９.２５４.１６９.２５４',
  '169。254。169。254',
  '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
]
const PRIVATE = [
  '127.0.0.1',
  '10.2.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '[::1]',
  '[fd00::1]',
  '[::ffff:10.2.0.1]',
  '2130706433',
  '127.1',
]
const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '[2600:1f18::1]',
  '[::ffff:8.8.8.8]',
  '[64:ff9b::808:808]',
  '134744072',
  'api.example.com',
  'localhost',
]

const isRefused = (host: string, policy = localPolicy): boolean => {
  try {
    checkServerUrl(`https://${host}:6443/base`, policy)
    return false
  } catch (error) {
    expect(error).toBeInstanceOf(AddressForbidden)
    return true
  }
}

describe('checkServerUrl', () => {
  it.each(NEVER)('refuses %s under both policies', (host) => {
    expect(isRefused(host)).toBe(true)
    expect(isRefused(host, restricted)).toBe(true)
    expect(isRefused(host, restrictedPolicy(['0.0.0.0/0', '::/0']))).toBe(true)
  })

  it.each(PRIVATE)('takes %s locally, and refuses it when restricted and not listed', (host) => {
    expect(isRefused(host)).toBe(false)
    expect(isRefused(host, restrictedPolicy([]))).toBe(true)
  })

  it.each(PUBLIC)('takes %s', (host) => {
    expect(isRefused(host)).toBe(false)
    expect(isRefused(host, restricted)).toBe(false)
  })

  it.each(['10.1.2.3', '[fd12:3456::7]', '127.0.0.1', '[::ffff:10.1.2.3]'])(
    'takes %s when its range is listed',
    (host) => {
      expect(isRefused(host, restricted)).toBe(false)
    },
  )

  it.each(['127.0.0.1', '127.1.2.3', '[::1]', '[::ffff:127.0.0.1]', '2130706433'])(
    'refuses %s unless loopback itself is listed: wide networks do not mean the Lambda Runtime API',
    (host) => {
      expect(isRefused(host, restrictedPolicy(['0.0.0.0/0', '::/0', '127.0.0.0/7', '::/96']))).toBe(true)
      expect(isRefused(host, restrictedPolicy(['127.0.0.0/8', '::1/128']))).toBe(false)
    },
  )

  it('says which range, with a class', () => {
    const error = thrownBy(() => checkServerUrl('https://2852039166', restricted)) as AddressForbidden
    expect(error.kind).toBe('invalid')
    expect(error.details).toMatchObject({ class: 'forbidden_address', address: '169.254.169.254', range: 'linkLocal' })
    expect(error.message).toMatch(/169\.254\.169\.254.*linkLocal.*operator/)
  })

  it('refuses a list that is no CIDR when the policy is made', () => {
    expect(() => restrictedPolicy(['10.0.0.0'])).toThrow()
  })
})

describe('guardedLookup', () => {
  const answers = (...addresses: string[]): Resolver =>
    vi.fn(async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) })),
    )

  it('resolves once and answers the same afterwards', async () => {
    const resolver = vi
      .fn<Resolver>()
      .mockResolvedValueOnce([{ address: '10.0.0.1', family: 4 }])
      .mockResolvedValue([{ address: '169.254.169.254', family: 4 }])
    const lookup = guardedLookup(localPolicy, resolver)
    const first = await lookup.addresses('api.example.com')
    expect(await lookup.addresses('api.example.com')).toBe(first)
    expect(resolver).toHaveBeenCalledTimes(1)
    lookup.forget('api.example.com')
    expect(await rejectionOf(lookup.addresses('api.example.com'))).toBeInstanceOf(AddressForbidden)
  })

  it.each([
    ['169.254.169.254'],
    ['8.8.8.8', 'fe80::1'],
    ['::ffff:169.254.169.254'],
    ['fe80::1%eth0'],
    ['not an address'],
  ])('refuses a name when one of its addresses is %s', async (...addresses) => {
    const error = (await rejectionOf(
      guardedLookup(localPolicy, answers(...addresses)).addresses('x.example.com'),
    )) as AddressForbidden
    expect(error).toBeInstanceOf(AddressForbidden)
    expect(error.details).toMatchObject({ class: 'forbidden_address', host: 'x.example.com' })
  })

  it('gives the error of the resolver, and asks again next time', async () => {
    const resolver = vi
      .fn<Resolver>()
      .mockRejectedValueOnce(new Error('ENOTFOUND'))
      .mockResolvedValue([{ address: '10.0.0.1', family: 4 }])
    const lookup = guardedLookup(localPolicy, resolver)
    await expect(lookup.addresses('x.example.com')).rejects.toThrow('ENOTFOUND')
    expect(await lookup.addresses('x.example.com')).toHaveLength(1)
  })

  it('does not ask the resolver for an address, but checks it', async () => {
    const resolver = answers('10.0.0.1')
    const lookup = guardedLookup(localPolicy, resolver)
    expect(await lookup.addresses('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }])
    expect(await rejectionOf(lookup.addresses('224.0.0.1'))).toBeInstanceOf(AddressForbidden)
    expect(resolver).not.toHaveBeenCalled()
  })
})
