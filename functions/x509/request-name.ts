import 'reflect-metadata'
import { Name } from '@peculiar/x509'
import { isShownAsIs } from '../core/values/shown-text.ts'
import { SigningRequestRejected } from './errors.ts'
import type { NameAttribute, ParsedRequest } from './parsed-request.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: IA5String is all of ASCII.
const IA5 = /^[\x00-\x7f]*$/

/**
 * Characters that a value may have at most, by the attribute's type: upper bounds of RFC 5280 appendix A.1. Those of other types, names of
 * persons mostly, are beyond what a request can hold.
 */
const LENGTHS: ReadonlyMap<string, { name: string; max: number }> = new Map([
  ['2.5.4.3', { name: 'CN', max: 64 }],
  ['2.5.4.5', { name: 'serialNumber', max: 64 }],
  ['2.5.4.6', { name: 'C', max: 2 }],
  ['2.5.4.7', { name: 'L', max: 128 }],
  ['2.5.4.8', { name: 'ST', max: 128 }],
  ['2.5.4.10', { name: 'O', max: 64 }],
  ['2.5.4.11', { name: 'OU', max: 64 }],
  ['2.5.4.12', { name: 'title', max: 64 }],
  ['2.5.4.65', { name: 'pseudonym', max: 128 }],
  ['1.2.840.113549.1.9.1', { name: 'emailAddress', max: 255 }],
])

const lengthFault = (type: string, text: string): string | null => {
  const limit = LENGTHS.get(type)
  const length = [...text].length
  if (limit === undefined || length <= limit.max) return null
  return `a value of ${length} characters for ${limit.name}, which has at most ${limit.max} (RFC 5280)`
}

/** What Go's parser, and so kube-apiserver, does not take; what is longer than allowed, or does not show. That UTF-8 is UTF-8 has been seen. */
const faultOf = ({ type, text: { utf8String, printableString, ia5String } }: NameAttribute): string | null => {
  const text = utf8String ?? printableString ?? ia5String
  if (text === undefined) return 'a value of a type that is not supported'
  if (text === '') return 'an empty value'
  const isGood = Name.isPrintableString(printableString ?? '') && IA5.test(ia5String ?? '')
  if (!isGood) return 'a value that its type does not allow'
  if (!isShownAsIs(text)) return 'control characters, or characters that change the direction of writing'
  return lengthFault(type, text)
}

/**
 * Demands a distinguished name that every client reads. It may be empty.
 *
 * @throws SigningRequestRejected
 */
export const demandReadableName = ({ subjectAttributes }: ParsedRequest): void => {
  const fault = subjectAttributes
    .flatMap((part) => (part.length === 0 ? 'a part without attributes' : part.map(faultOf)))
    .find((found) => found !== null)
  if (fault === undefined) return
  throw new SigningRequestRejected(
    `"csr" has a subject with ${fault}. Write it as UTF-8 text, such as "CN=admin, O=system:masters".`,
  )
}
