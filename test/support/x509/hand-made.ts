import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** Makes signing requests by hand that no library would. */

const lengthOctets = (length: number): number[] => {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

/** An element of DER with this content, up to 64 KiB, which may be lists of octets. */
export const der = (tag: number, ...content: (Uint8Array | number[])[]): Buffer => {
  const octets = Buffer.concat(content.map((part) => Uint8Array.from(part)))
  return Buffer.concat([Uint8Array.of(tag, ...lengthOctets(octets.length)), octets])
}

export const sequence = (...content: Uint8Array[]): Buffer => der(0x30, ...content)
export const set = (...content: Uint8Array[]): Buffer => der(0x31, ...content)

const base128 = (arc: number): number[] =>
  arc < 128 ? [arc] : [...base128(Math.floor(arc / 128)).map((octet) => octet | 0x80), arc % 128]

/** An object identifier from dotted text. */
export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number)
  return der(0x06, [first * 40 + second, ...arcs].flatMap(base128))
}

/** A name of one attribute, by default UTF-8 text. */
export const nameOf = (text: Uint8Array | string, type = '2.5.4.3', tag = 0x0c): Buffer =>
  sequence(set(sequence(oid(type), der(tag, Buffer.from(text as string)))))

export const extension = (dotted: string, value: Uint8Array, critical?: boolean): Buffer =>
  sequence(oid(dotted), ...(critical === undefined ? [] : [der(0x01, [critical ? 0xff : 0])]), der(0x04, value))

/** `[0]` of a request that asks for extensions. */
export const attributesWith = (...extensions: Uint8Array[]): Buffer =>
  der(0xa0, sequence(oid('1.2.840.113549.1.9.14'), set(sequence(...extensions))))

/** A key of P-256 for all of a test's requests. */
const testKey: { key: KeyObject; spki: Buffer } = (() => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return { key, spki: publicKey.export({ type: 'spki', format: 'der' }) }
})()

export type HandMade = {
  subject?: Uint8Array
  attributes?: Uint8Array | null
  version?: Uint8Array
  spki?: Uint8Array
  algorithm?: Uint8Array
}

export const requestPem = (bytes: Uint8Array): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(bytes)
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE REQUEST-----\n`

/** A request with these parts, signed with the test's key. PEM. */
export const handMade = ({
  subject = nameOf('admin'),
  attributes = der(0xa0),
  version = der(0x02, [0]),
  spki = testKey.spki,
  algorithm = sequence(oid('1.2.840.10045.4.3.2')),
}: HandMade): string => {
  const info = sequence(version, subject, spki, ...(attributes === null ? [] : [attributes]))
  return requestPem(sequence(info, algorithm, der(0x03, [0], sign('sha256', info, testKey.key))))
}
