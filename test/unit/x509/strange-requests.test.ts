import { X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { isAppError } from '../../../functions/core/values/app-error.ts'
import { newAuthority } from '../../../functions/x509/new-authority.ts'
import { type SigningAuthority, signRequest } from '../../../functions/x509/sign-request.ts'
import { readSigningRequest } from '../../../functions/x509/signing-request.ts'
import {
  attributesWith,
  der,
  extension,
  handMade,
  nameOf,
  requestPem,
  sequence,
  set,
} from '../../support/x509/hand-made.ts'
import { madeRequest } from '../../support/x509/signing-requests.ts'

/** Whatever is sent, the answer is a refusal in our words or a certificate that another implementation verifies. */

const NOW = new Date('2026-11-27T10:00:00Z')
let authority: SigningAuthority
let certificate: X509Certificate
beforeAll(async () => {
  authority = await newAuthority('blue', NOW)
  certificate = new X509Certificate(authority.certificatePem)
})

type Outcome = 'refused' | 'signed'

const outcomeOf = async (csr: string): Promise<Outcome> => {
  let pem: string
  try {
    pem = await signRequest(await readSigningRequest(csr), authority, NOW)
  } catch (error) {
    if (isAppError(error) && error.kind === 'invalid') return 'refused'
    throw error
  }
  const made = new X509Certificate(pem)
  // The extension basicConstraints as it is in DER: critical, and empty.
  const isMarked = !made.raw.includes(Buffer.from('300c0603551d130101ff04023000', 'hex'))
  expect([made.verify(certificate.publicKey), made.checkIssued(certificate), made.ca, isMarked]).toEqual([
    true,
    true,
    false,
    false,
  ])
  return 'signed'
}

const bytesOf = (name: string): Buffer => Buffer.from(madeRequest(name).replace(/-----[^-]+-----|\s/g, ''), 'base64')

const octets = (maxLength = 24) => fc.uint8Array({ maxLength })
/** Elements within elements, with tags that certificates have and any other. */
const element = fc.letrec<{ element: Buffer }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 4 },
    fc
      .tuple(fc.constantFrom(1, 2, 3, 4, 5, 6, 12, 19, 22, 23, 0x82, 0x87, 255), octets())
      .map(([tag, content]) => der(tag, content)),
    fc
      .tuple(fc.constantFrom(0x30, 0x31, 0xa0, 0xa3), fc.array(tie('element'), { maxLength: 4 }))
      .map(([tag, children]) => der(tag, ...children)),
  ),
})).element
const oidText = fc.constantFrom('2.5.29.14', '2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.37', '1.2.3.4')

describe('a strange signing request', () => {
  it('with any octet changed', async () => {
    const bytes = bytesOf('server')
    // Two headers of four octets, then what is signed. Behind it a signature may be written in other ways, and be right.
    const signedEnd = 8 + bytes.readUInt16BE(6)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(bytes)
        changed[at]! ^= flip
        const outcome = await outcomeOf(requestPem(changed))
        if (at < signedEnd) expect(outcome).toBe('refused')
      }),
      { numRuns: 300 },
    )
  })

  it('of any octets, or any text', async () => {
    const text = fc.oneof(octets(200).map(requestPem), fc.string({ unit: 'binary' }), element.map(requestPem))
    await fc.assert(
      fc.asyncProperty(text, async (csr) => {
        expect(await outcomeOf(csr)).toBe('refused')
      }),
      { numRuns: 300 },
    )
  })

  it('whose parts are anything, rightly signed', async () => {
    const parts = fc.record(
      { subject: element, attributes: element, spki: element, version: element, algorithm: element },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(parts, async (made) => void (await outcomeOf(handMade(made)))),
      { numRuns: 300 },
    )
  })

  it('whose extensions are anything, rightly signed', async () => {
    const one = fc
      .tuple(oidText, fc.oneof(element, octets()), fc.option(fc.boolean(), { nil: undefined }))
      .map(([dotted, value, critical]) => extension(dotted, value, critical))
    const outcomes = new Set<Outcome>()
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 3 }), async (extensions) => {
        outcomes.add(await outcomeOf(handMade({ attributes: attributesWith(...extensions) })))
      }),
      { numRuns: 150, examples: [[[]]] },
    )
    expect([...outcomes].sort()).toEqual(['refused', 'signed'])
  })

  it('with any name, rightly signed', async () => {
    const tag = fc.constantFrom(12, 18, 19, 20, 22, 28, 30)
    const value = fc.oneof(
      octets(),
      fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
    )
    const name = fc.oneof(
      fc.tuple(value, tag).map(([content, type]) => nameOf(content, '2.5.4.3', type)),
      fc
        .array(fc.array(element, { maxLength: 2 }), { maxLength: 2 })
        .map((parts) => sequence(...parts.map((part) => set(...part)))),
    )
    const outcomes = new Set<Outcome>()
    await fc.assert(
      fc.asyncProperty(name, async (subject) => {
        outcomes.add(await outcomeOf(handMade({ subject })))
      }),
      { numRuns: 150, examples: [[nameOf(Buffer.from('a plain name'), '2.5.4.3', 12)]] },
    )
    expect([...outcomes].sort()).toEqual(['refused', 'signed'])
  })
})
