import { describe, expect, it } from 'vitest'
import { bitsOf, oidOf, onlyElement } from '../../../functions/x509/der.ts'

const element = (hex: string) => onlyElement(Buffer.from(hex, 'hex'))

describe('onlyElement', () => {
  it('reads lengths of one to three octets', () => {
    const lengths = [`0401${'00'.repeat(1)}`, `048180${'00'.repeat(128)}`, `04820100${'00'.repeat(256)}`]
    expect(lengths.map((hex) => element(hex).content.length)).toEqual([1, 128, 256])
  })

  it.each([
    ['nothing', ''],
    ['a tag alone', '04'],
    ['a length without octets', '0481'],
    ['one octet where none is needed', '048101ff'],
    ['two octets where one is enough', `048200ff${'00'.repeat(255)}`],
    ['three octets', `0483000100${'00'.repeat(256)}`],
    ['an indefinite length', '04800000'],
    ['too few octets', '040200'],
    ['two elements', '05000500'],
  ])('refuses %s', (_, hex) => {
    expect(() => element(hex)).toThrow(/is damaged/)
  })
})

describe('oidOf', () => {
  it.each([
    ['0603550403', '2.5.4.3'],
    ['06092a864886f70d01010b', '1.2.840.113549.1.1.11'],
    ['060488378100', '2.999.128'],
  ])('%s is %s', (hex, dotted) => {
    expect(oidOf(element(hex))).toBe(dotted)
  })

  it.each([
    ['nothing', '0600'],
    ['an arc that does not end', '06025584'],
    ['a padded first arc', '06028055'],
    ['a padded later arc', '0603558003'],
    ['an arc beyond all numbers', '060a55ffffffffffffffff7f'],
  ])('refuses %s', (_, hex) => {
    expect(() => oidOf(element(hex))).toThrow(/is damaged/)
  })
})

describe('bitsOf', () => {
  it('leaves out unused bits', () => {
    expect(bitsOf(element('030205a0'))).toEqual([true, false, true])
    expect(bitsOf(element('030100'))).toEqual([])
  })

  it.each(['0300', '03020880', '030101'])('refuses %s', (hex) => {
    expect(() => bitsOf(element(hex))).toThrow(/is damaged/)
  })
})
