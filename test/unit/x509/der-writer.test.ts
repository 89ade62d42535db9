import { describe, expect, it } from 'vitest'
import { der, namedBits, oid, time } from '../../../functions/x509/der-writer.ts'

const hex = (bytes: Buffer): string => bytes.toString('hex')

describe('der', () => {
  it.each([
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_535, '0482ffff'],
  ])('tells a length of %i in the shortest form', (length, head) => {
    const made = der(0x04, Buffer.alloc(length))
    expect([hex(made.subarray(0, head.length / 2)), made.length]).toEqual([head, head.length / 2 + length])
  })
})

describe('oid', () => {
  it.each([
    ['2.5.4.3', '0603550403'],
    ['1.2.840.113549.1.1.11', '06092a864886f70d01010b'],
    ['2.999.128', '060488378100'],
  ])('%s', (dotted, bytes) => {
    expect(hex(oid(dotted))).toBe(bytes)
  })
})

describe('namedBits', () => {
  it.each([
    [[], '030100'],
    [[false, false], '030100'],
    [[true], '03020780'],
    [[true, false, true, false], '030205a0'],
    [[false, false, false, false, false, true, true], '03020106'],
    [[false, false, false, false, false, false, false, false, true], '0303070080'],
  ])('%j has no zeros at its end', (bits, bytes) => {
    expect(hex(namedBits(bits))).toBe(bytes)
  })
})

describe('time', () => {
  it.each([
    ['2026-11-27T10:20:30.999Z', 23, '261127102030Z'],
    ['2049-12-31T23:59:59.000Z', 23, '491231235959Z'],
    ['2050-01-01T00:00:00.000Z', 24, '20500101000000Z'],
  ])('of %s', (iso, tag, text) => {
    const made = time(new Date(iso))
    expect([made[0], made.subarray(2).toString()]).toEqual([tag, text])
  })
})
