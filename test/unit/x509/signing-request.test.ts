import { createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SigningRequestRejected } from '../../../functions/x509/pem-request.ts'
import { readSigningRequest } from '../../../functions/x509/signing-request.ts'
import {
  attributesWith,
  der,
  extension,
  type HandMade,
  handMade,
  nameOf,
  oid,
  requestPem,
  sequence,
  set,
} from '../../support/x509/hand-made.ts'
import { madeRequest } from '../../support/x509/signing-requests.ts'

const faultOf = async (pem: string): Promise<string> => {
  try {
    await readSigningRequest(pem)
  } catch (error) {
    if (error instanceof SigningRequestRejected) return error.message
    throw error
  }
  return 'accepted'
}

const bytesOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')

/** SubjectPublicKeyInfo of P-256 with the point (1, 1). */
const offCurve = Buffer.from(
  `3059301306072a8648ce3d020106082a8648ce3d03010703420004${'00'.repeat(31)}01${'00'.repeat(31)}01`,
  'hex',
)

describe('readSigningRequest accepts', () => {
  it.each([
    'rsa-2048-sha256',
    'rsa-2048-sha384',
    'rsa-3072-sha256',
    'rsa-4096-sha256',
    'terraform',
    'ec-P-256',
    'ec-P-384',
    'ec-P-521',
    'ec-P-521-sha512',
    'ed25519',
    'server',
    'names-only',
    'wants-authority',
  ])('%s', async (name) => {
    expect(await faultOf(madeRequest(name))).toBe('accepted')
  })

  it.each([
    ['CRLF', madeRequest('ec-P-256').replaceAll('\n', '\r\n')],
    ['text around the block', `Certificate Request:\n  Data: 1\n${madeRequest('ec-P-256')}\ntrailing`],
    ['the label of old OpenSSL', madeRequest('ec-P-256').replaceAll('CERTIFICATE REQ', 'NEW CERTIFICATE REQ')],
    [
      'base64 in one line',
      requestPem(bytesOf(madeRequest('ec-P-256'))).replace(/([A-Za-z0-9+/=])\n(?=[A-Za-z0-9+/])/g, '$1'),
    ],
    [
      'other attributes',
      handMade({ attributes: der(0xa0, sequence(oid('1.2.840.113549.1.9.7'), set(der(0x0c, Buffer.from('pw'))))) }),
    ],
    [
      'more bits of key usage than there are, and bytes behind them',
      handMade({
        attributes: attributesWith(extension('2.5.29.15', Buffer.concat([der(0x03, [6, 0xff, 0xff]), Buffer.of(0)]))),
      }),
    ],
    ['an e-mail address in the subject', handMade({ subject: nameOf('a@b.c', '1.2.840.113549.1.9.1', 0x16) })],
  ])('%s', async (_, pem) => {
    expect(await faultOf(pem)).toBe('accepted')
  })

  it('a compressed key, and writes it as all clients read it', async () => {
    const { key } = await readSigningRequest(madeRequest('ec-P-256-compressed'))
    // A named curve and an uncompressed point.
    expect(key.spki.toString('hex')).toMatch(/^3059301306072a8648ce3d020106082a8648ce3d03010703420004/)
  })
})

describe('readSigningRequest refuses', () => {
  const good = madeRequest('ec-P-256')

  it.each([
    ['rsa-1024-sha256', /RSA key of 1024 bits, which is too weak\. Use RSA with 2048/],
    ['rsa-2048-sha1', /algorithm that is not supported\. Sign it with SHA-256/],
    ['rsa-2048-md5', /algorithm that is not supported\. Sign it with SHA-256/],
    ['ec-P-256-sha1', /algorithm that is not supported\. Sign it with SHA-256/],
    ['rsa-2048-pss', /algorithm that is not supported\. Sign it with SHA-256/],
    ['rsa-pss-key', /key of a type that is not supported\. Use RSA/],
    ['ed448', /key of a type that is not supported\. Use RSA/],
    ['ec-P-256-explicit', /key on a curve that is not supported\. Use RSA/],
    ['ec-P-224', /key on a curve that is not supported\. Use RSA/],
    ['ec-secp256k1', /key on a curve that is not supported\. Use RSA/],
    ['ec-brainpoolP256r1', /key on a curve that is not supported\. Use RSA/],
    ['nobody', /names nobody/],
    ['other-name', /subjectAltName with a name that is no DNS name/],
  ])('%s', async (name, why) => {
    expect(await faultOf(madeRequest(name))).toMatch(why)
  })

  it.each([
    ['text that is no PEM', 'hello', /holds no PEM block/],
    ['an empty block', requestPem(Buffer.alloc(0)), /damaged PEM block/],
    ['a block without end', good.replace(/-----END[^-]+-----/, ''), /damaged PEM block/],
    ['a block that is no base64', good.replace('\nMI', '\n**'), /damaged PEM block/],
    ['base64 of the wrong length', good.replace('MI', 'M'), /damaged PEM block/],
    ['two requests', good + good, /holds 2 PEM blocks\. Send one/],
    ['a certificate', good.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'), /a certificate in place of/],
    ['a public key', good.replaceAll('CERTIFICATE REQUEST', 'PUBLIC KEY'), /holds no certificate signing request/],
    ['a private key with it', `-----BEGIN PRIVATE KEY-----\n${good}`, /private key, which must stay with you/],
    ['too long a text', `${good}${'x'.repeat(16_384)}`, /at most 16384/],
    ['no DER', requestPem(Buffer.from('hello world')), /is damaged/],
    ['a cut request', requestPem(bytesOf(good).subarray(0, -1)), /is damaged/],
    ['bytes after the request', requestPem(Buffer.concat([bytesOf(good), Buffer.from([0])])), /is damaged/],
    ['indefinite lengths', requestPem(Buffer.from([0x30, 0x80, 0, 0])), /is damaged/],
    ['lengths that are not the shortest', requestPem(Buffer.from([0x30, 0x81, 0x01, 0x00])), /is damaged/],
  ])('%s', async (_, pem, why) => {
    expect(await faultOf(pem)).toMatch(why)
  })

  it('a signature of another key', async () => {
    const swapped = handMade({ spki: (await readSigningRequest(madeRequest('server'))).key.spki })
    expect(await faultOf(swapped)).toMatch(/not signed with the private key that belongs to its public key/)
  })

  it.each(['AQ', 'Ag', 'AQAAAAE'])('an RSA key with the exponent %s', async (e) => {
    const n = Buffer.alloc(256, 0xff).toString('base64url')
    const spki = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' }).export({ type: 'spki', format: 'der' })
    expect(await faultOf(handMade({ spki }))).toMatch(/unusual exponent/)
  })

  it('a request that was changed after it was signed', async () => {
    const bytes = bytesOf(good)
    bytes[bytes.indexOf('admin')] = 'b'.charCodeAt(0)
    expect(await faultOf(requestPem(bytes))).toMatch(/not signed with the private key/)
  })

  it.each([
    [
      'a name in Latin letters of Teletex',
      { subject: nameOf('admin', '2.5.4.3', 0x14) },
      /of a type that is not supported/,
    ],
    ['text that is no UTF-8', { subject: nameOf(Uint8Array.of(0xff, 0xfe)) }, /is damaged/],
    ['PrintableString with other characters', { subject: nameOf('a@b', '2.5.4.3', 0x13) }, /type does not allow/],
    ['an empty value', { subject: nameOf('') }, /an empty value/],
    ['a CN of 65 characters', { subject: nameOf('ä'.repeat(65)) }, /65 characters for CN, which has at most 64/],
    ['a CN of 5,000 characters', { subject: nameOf('a'.repeat(5000)) }, /5000 characters for CN/],
    ['an O of 65 characters', { subject: nameOf('a'.repeat(65), '2.5.4.10') }, /65 characters for O,/],
    ['an OU of 65 characters', { subject: nameOf('a'.repeat(65), '2.5.4.11') }, /65 characters for OU,/],
    ['a C of 3 characters', { subject: nameOf('DEU', '2.5.4.6', 0x13) }, /3 characters for C,/],
    ['an ST of 129 characters', { subject: nameOf('a'.repeat(129), '2.5.4.8') }, /for ST, which has at most 128/],
    ...[
      'a\0b',
      '\0',
      'a\nb',
      'a\u001b[31m',
      'a\u007f',
      'a\u0085',
      'ad\u202enim',
      '\u2066admin\u2069',
      '\u200fadmin',
      'a\u2028b',
    ].map((text): [string, HandMade, RegExp] => [
      `the CN ${JSON.stringify(text)}`,
      { subject: nameOf(text) },
      /control characters/,
    ]),
    ['NUL in IA5String', { subject: nameOf('a\0', '0.9.2342.19200300.100.1.25', 0x16) }, /control characters/],
    ['a part without attributes', { subject: sequence(set()) }, /a part without attributes/],
    ['an attribute without a value', { subject: sequence(set(sequence(oid('2.5.4.3')))) }, /is damaged/],
    ['numbers as text', { subject: nameOf('12 34', '2.5.4.5', 0x12) }, /of a type that is not supported/],
    [
      'a value that is no text',
      { subject: nameOf(Uint8Array.of(1), '2.5.4.3', 0x02) },
      /of a type that is not supported/,
    ],
    [
      'other characters than ASCII in IA5String',
      { subject: nameOf(Uint8Array.of(0xe4), '2.5.4.3', 0x16) },
      /type does not allow/,
    ],
    ['no attributes at all, which RFC 2986 demands', { attributes: null }, /is damaged/],
    [
      'an object identifier that does not end',
      { subject: sequence(set(sequence(der(6, [0x55, 0x84]), der(12, [65])))) },
      /damaged/,
    ],
    ['a version that is no number', { version: der(0x04, [0]) }, /is damaged/],
    ['an algorithm that is none', { algorithm: sequence() }, /is damaged/],
    ['a key that is none', { spki: sequence(der(0x05)) }, /is damaged/],
    ['a point that is on no curve', { spki: offCurve }, /public key that can't be read/],
  ])('%s', async (_, made, why) => {
    expect(await faultOf(handMade(made))).toMatch(why)
  })

  const names = (...content: Buffer[]) => extension('2.5.29.17', sequence(...content))
  it.each([
    ['an extension twice', [names(der(0x82, Buffer.from('a'))), names(der(0x82, Buffer.from('b')))], /twice/],
    [
      'a name that we know and one of another kind',
      [names(der(0x82, Buffer.from('a')), der(0xa0, oid('1.2.3'), der(0xa0, der(0x0c, [65]))))],
      /no DNS name/,
    ],
    ['a name of a directory', [names(der(0xa4, nameOf('a')))], /no DNS name/],
    ['an identifier as name', [names(der(0x88, [0x2a, 3]))], /no DNS name/],
    ['a network', [names(der(0x87, [10, 0, 0, 0, 255, 0, 0, 0]))], /damaged IP address/],
    ['no name', [names()], /without a name/],
    ['an address of five bytes', [names(der(0x87, [1, 2, 3, 4, 5]))], /damaged IP address/],
    ['a name with a line break', [names(der(0x82, Buffer.from('a\nb')))], /damaged DNS name/],
    ['a URI that is none', [names(der(0x86, Buffer.from('::')))], /damaged URI/],
    ['key usage that is no bits', [extension('2.5.29.15', der(0x04, [0]))], /is damaged/],
    ['usages that are no identifiers', [extension('2.5.29.37', sequence(der(0x02, [1])))], /a value that is no usage/],
    ['an empty key identifier', [extension('2.5.29.14', der(0x04))], /not 1 to 64 bytes/],
    [
      'a critical mark that is no boolean',
      [sequence(oid('2.5.29.15'), der(2, [1]), der(4, der(3, [0, 128])))],
      /is damaged/,
    ],
  ])('%s', async (_, extensions, why) => {
    expect(await faultOf(handMade({ attributes: attributesWith(...extensions) }))).toMatch(why)
  })

  it('a private key, and does not repeat it', async () => {
    const fault = await faultOf('-----BEGIN EC PRIVATE KEY-----\nc2VjcmV0\n-----END EC PRIVATE KEY-----\n')
    expect(fault).toMatch(/private key, which must stay with you/)
    expect(fault).not.toContain('c2VjcmV0')
  })
})
