import { TAG } from './der.ts'

/** Writes DER (ITU-T X.690). An ASN.1 library would be a fifth of the function's code, for the few types that a certificate has. */

const lengthOctets = (length: number): number[] => {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

/** An element with this content, up to 64 KiB. */
export const der = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const length = content.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Uint8Array.of(tag, ...lengthOctets(length)), ...content])
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => der(TAG.sequence, ...content)
export const set = (...content: readonly Uint8Array[]): Buffer => der(TAG.set, ...content)

const base128 = (arc: number): number[] =>
  arc < 128 ? [arc] : [...base128(Math.floor(arc / 128)).map((octet) => octet | 0x80), arc % 128]

/** An object identifier from dotted text. */
export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number)
  return der(TAG.oid, Uint8Array.from([first * 40 + second, ...arcs].flatMap(base128)))
}

export const bitString = (octets: Uint8Array, unused = 0): Buffer => der(TAG.bitString, Uint8Array.of(unused), octets)

/** A BIT STRING of named bits, first one first: without the zeros at its end. */
export const namedBits = (bits: readonly boolean[]): Buffer => {
  const used = bits.lastIndexOf(true) + 1
  const octets = new Uint8Array(Math.ceil(used / 8))
  for (const [index, bit] of bits.entries())
    if (bit) octets[index >> 3] = (octets[index >> 3] ?? 0) | (0x80 >> (index & 7))
  return bitString(octets, octets.length * 8 - used)
}

/** UTCTime up to 2049, GeneralizedTime from 2050 on (RFC 5280 4.1.2.5). Whole seconds. */
export const time = (date: Date): Buffer => {
  const text = `${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`
  return date.getUTCFullYear() < 2050
    ? der(TAG.utcTime, Buffer.from(text.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(text))
}
