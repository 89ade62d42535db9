import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MicroversionMalformed, MicroversionUnsupported } from '../../../functions/api/errors.ts'
import { MINOR_MAX, MINOR_MIN, parseMicroversion, versionHeaders } from '../../../functions/api/negotiation.ts'

const SERVICES = ['container-infra', 'container-infrastructure', 'container-infrastructure-management']
const service = fc.constantFrom(...SERVICES)
const space = fc.stringMatching(/^[ \t]{1,3}$/)
const mixedCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((character, index) => (upper[index] ? character.toUpperCase() : character)).join(''))

describe('parseMicroversion', () => {
  it('reads every version that is offered, with any of the service types and any space', () => {
    const minor = fc.integer({ min: MINOR_MIN, max: MINOR_MAX })
    fc.assert(
      fc.property(service, space, space, minor, (name, before, between, wanted) => {
        expect(parseMicroversion(`${before}${name}${between}1.${wanted}${before}`)).toBe(wanted)
      }),
    )
  })

  it('takes "latest" in any case and with any service type', () => {
    const word = fc.stringMatching(/^[!-~]{1,20}$/)
    fc.assert(
      fc.property(fc.oneof(service, word), space, mixedCase('latest'), (name, between, latest) => {
        expect(parseMicroversion(`${name}${between}${latest}`)).toBe(MINOR_MAX)
      }),
    )
  })

  it('refuses versions that are not offered, and says which was wanted', () => {
    const version = fc
      .tuple(fc.nat({ max: 999_999 }), fc.nat({ max: 999_999 }))
      .filter(([major, minor]) => major !== 1 || minor < MINOR_MIN || minor > MINOR_MAX)
      .map((numbers) => numbers.join('.'))
    fc.assert(
      fc.property(service, version, (name, wanted) => {
        const caught = catching(() => parseMicroversion(`${name} ${wanted}`))
        expect(caught).toBeInstanceOf(MicroversionUnsupported)
        expect((caught as MicroversionUnsupported).details).toEqual({ requested: wanted })
      }),
    )
  })

  it('gives a version in range, or one of its two refusals, whatever the header is', () => {
    const near = fc
      .array(
        fc.constantFrom(
          ...SERVICES,
          'latest',
          ' ',
          '1.',
          '1.14',
          '.',
          '01',
          '-1',
          'é',
          '\u007f',
          '\u009b31m',
          '\u202e',
          '9'.repeat(400),
          '\t',
        ),
        {
          maxLength: 6,
        },
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: 'binary' })), (header) => {
        const result = catching(() => parseMicroversion(header))
        if (typeof result === 'number') {
          expect(Number.isInteger(result) && result >= MINOR_MIN && result <= MINOR_MAX).toBe(true)
          return
        }
        expect(result instanceof MicroversionMalformed || result instanceof MicroversionUnsupported).toBe(true)
        expect((result as Error).message).toMatch(/^[^\p{Cc}]{1,300}\.$/u)
      }),
      { numRuns: 500 },
    )
  })

  it.each([undefined, '', '  '])('takes %j as the lowest version', (header) => {
    expect(parseMicroversion(header)).toBe(MINOR_MIN)
  })
})

describe('versionHeaders', () => {
  it('are read back as the version that they say', () => {
    fc.assert(
      fc.property(fc.integer({ min: MINOR_MIN, max: MINOR_MAX }), (minor) => {
        expect(parseMicroversion(versionHeaders(`1.${minor}`)['OpenStack-API-Version'])).toBe(minor)
      }),
    )
  })
})

/** What a call gives or throws. */
const catching = <T>(call: () => T): T | unknown => {
  try {
    return call()
  } catch (error) {
    return error
  }
}
