import 'reflect-metadata'
import { Name } from '@peculiar/x509'
import { SigningRequestRejected } from './errors.ts'
import type { AttributeText, ParsedRequest } from './parsed-request.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: IA5String is all of ASCII.
const IA5 = /^[\x00-\x7f]*$/

/** What Go's parser, and so kube-apiserver, does not take. That UTF-8 is UTF-8 has been seen. */
const faultOf = ({ utf8String, printableString, ia5String }: AttributeText): string | null => {
  const text = utf8String ?? printableString ?? ia5String
  if (text === undefined) return 'a value of a type that is not supported'
  if (text === '') return 'an empty value'
  const isGood = Name.isPrintableString(printableString ?? '') && IA5.test(ia5String ?? '')
  return isGood ? null : 'a value that its type does not allow'
}

/**
 * Demands a distinguished name that every client reads. It may be empty.
 *
 * @throws SigningRequestRejected
 */
export const demandReadableName = ({ subjectTexts }: ParsedRequest): void => {
  const fault = subjectTexts
    .flatMap((part) => (part.length === 0 ? 'a part without attributes' : part.map(faultOf)))
    .find((found) => found !== null)
  if (fault === undefined) return
  throw new SigningRequestRejected(
    `"csr" has a subject with ${fault}. Write it as UTF-8 text, such as "CN=admin, O=system:masters".`,
  )
}
