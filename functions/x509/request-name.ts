import { childrenOf, type Der, oidOf, TAG } from './der.ts'
import { SigningRequestRejected } from './errors.ts'

const text = (pattern: RegExp) => (bytes: Uint8Array) => pattern.test(Buffer.from(bytes).toString('latin1'))

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Types of text by tag, each with what may be in it: what Go's parser, and so kube-apiserver, takes. */
const TEXT_TYPES: Readonly<Record<number, (bytes: Uint8Array) => boolean>> = {
  12: isUtf8,
  18: text(/^[0-9 ]*$/),
  19: text(/^[A-Za-z0-9 '()+,\-./:=?*&]*$/),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: IA5String is all of ASCII.
  22: text(/^[\x00-\x7f]*$/),
}

const attributeFault = (attribute: Der): string | null => {
  const [type, value, ...others] = childrenOf(attribute, TAG.sequence)
  oidOf(type)
  if (value === undefined || others.length > 0) return 'an attribute without a value'
  const isGood = TEXT_TYPES[value.tag]
  if (isGood === undefined) return 'a value of a type that is not supported'
  if (value.content.length === 0) return 'an empty value'
  return isGood(value.content) ? null : 'a value that its type does not allow'
}

const faultIn = (attributes: readonly Der[]): string | null =>
  attributes.map(attributeFault).find((fault) => fault !== null) ?? null

/**
 * Demands a distinguished name that every client reads. It may be empty.
 *
 * @throws SigningRequestRejected
 */
export const demandReadableName = (name: Der): void => {
  const parts = childrenOf(name, TAG.sequence).map((part) => childrenOf(part, TAG.set))
  const fault = parts
    .map((attributes) => (attributes.length === 0 ? 'a part without attributes' : faultIn(attributes)))
    .find((found) => found !== null)
  if (fault === undefined) return
  throw new SigningRequestRejected(
    `"csr" has a subject with ${fault}. Write it as UTF-8 text, such as "CN=admin, O=system:masters".`,
  )
}
