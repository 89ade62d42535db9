import { RequestTooLarge } from './errors.ts'
import { bytesMaxOf, jsonBytes, type SizedAttribute } from './values/attribute-sizes.ts'

type SizeOptions = {
  /** As it is stored: what was stored with more may stay, and become smaller. */
  before?: unknown
  /** A sentence on what counts, or what to try. */
  advice?: string
}

/** An attribute may be stored as it would be: the result of merging or patching, not what a request gives of it. @throws RequestTooLarge */
export const requireSize = (attribute: SizedAttribute, value: unknown, { before, advice }: SizeOptions = {}): void => {
  const bytes = jsonBytes(value)
  const max = bytesMaxOf(attribute)
  if (bytes <= max || (before !== undefined && bytes <= jsonBytes(before))) return
  const sentence = `"${attribute}" would have ${bytes} bytes; at most ${max} are allowed.`
  throw new RequestTooLarge(advice === undefined ? sentence : `${sentence} ${advice}`)
}
