import { SigningRequestRejected } from './errors.ts'

/** Tags of DER (ITU-T X.690) that signing requests and certificates have. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** `[0]`, constructed. */
  context0: 0xa0,
  context3: 0xa3,
} as const

/** One element: its tag, its content, and all of its bytes. */
export type Der = { tag: number; content: Uint8Array; bytes: Uint8Array }

const malformed = (): SigningRequestRejected =>
  new SigningRequestRejected(
    '"csr" is damaged: it is not DER of a PKCS #10 certificate signing request. Make it anew, for example with `openssl req -new`.',
  )

/** Length of the content and of the octets that tell it; DER allows the shortest form alone. */
const lengthAt = (bytes: Uint8Array, at: number): { length: number; octets: number } => {
  const first = bytes[at]
  if (first === undefined) throw malformed()
  if (first < 0x80) return { length: first, octets: 1 }
  const count = first & 0x7f
  // Two octets tell 64 KiB, more than a whole request may have.
  if (count < 1 || count > 2 || at + count >= bytes.length) throw malformed()
  const length = bytes.subarray(at + 1, at + 1 + count).reduce((sum, octet) => sum * 256 + octet, 0)
  if (length < (count === 1 ? 0x80 : 0x100)) throw malformed()
  return { length, octets: 1 + count }
}

/** All elements of these bytes, one after the other. @throws SigningRequestRejected when they are not exactly elements of DER */
const derElements = (bytes: Uint8Array): Der[] => {
  const elements: Der[] = []
  let at = 0
  while (at < bytes.length) {
    const { length, octets } = lengthAt(bytes, at + 1)
    const start = at + 1 + octets
    const end = start + length
    if (end > bytes.length) throw malformed()
    elements.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, end), bytes: bytes.subarray(at, end) })
    at = end
  }
  return elements
}

/** The element's content when it has this tag. @throws SigningRequestRejected */
export const contentOf = (element: Der | undefined, tag: number): Uint8Array => {
  if (element?.tag !== tag) throw malformed()
  return element.content
}

/** The elements inside of one with this tag. @throws SigningRequestRejected */
export const childrenOf = (element: Der | undefined, tag: number): Der[] => derElements(contentOf(element, tag))

/** The only element of these bytes. @throws SigningRequestRejected */
export const onlyElement = (bytes: Uint8Array): Der => {
  const [element, ...others] = derElements(bytes)
  if (element === undefined || others.length > 0) throw malformed()
  return element
}

/** Bits of a BIT STRING, first bit first, without unused ones. @throws SigningRequestRejected */
export const bitsOf = (element: Der): boolean[] => {
  const [unused = 8, ...octets] = contentOf(element, TAG.bitString)
  if (unused > 7 || (octets.length === 0 && unused > 0)) throw malformed()
  const bits = octets.flatMap((octet) => Array.from({ length: 8 }, (_, index) => (octet & (0x80 >> index)) !== 0))
  return bits.slice(0, bits.length - unused)
}

/** An object identifier as dotted text. @throws SigningRequestRejected */
export const oidOf = (element: Der | undefined): string => {
  const content = contentOf(element, TAG.oid)
  const arcs: number[] = []
  let value = 0
  for (const octet of content) {
    value = value * 128 + (octet & 0x7f)
    if (!Number.isSafeInteger(value)) throw malformed()
    if (octet & 0x80) continue
    arcs.push(value)
    value = 0
  }
  const first = arcs.shift()
  // The first octets tell the first two arcs; the last one ends an arc, and none begins with a padding octet.
  if (first === undefined || (content.at(-1) ?? 0) & 0x80 || hasPaddedArc(content)) throw malformed()
  const top = Math.min(Math.floor(first / 40), 2)
  return [top, first - top * 40, ...arcs].join('.')
}

const hasPaddedArc = (content: Uint8Array): boolean =>
  content.some((octet, index) => octet === 0x80 && (index === 0 || ((content[index - 1] ?? 0) & 0x80) === 0))

/** The fault of DER that does not have the structure of a signing request. */
export const wrongStructure = malformed
