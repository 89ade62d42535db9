import { quote } from '../../core/values/wording.ts'
import { InvalidRequest } from '../errors.ts'

const POINTER = /^(?:\/(?:[^/~]|~[01])+)+$/

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')

/** Segments of a JSON Pointer (RFC 6901), unescapedd. The whole document and empty segments are refused. @throws InvalidRequest */
export const parsePointer = (path: string): string[] => {
  if (!POINTER.test(path)) {
    throw new InvalidRequest(
      `The path ${quote(path)} is no JSON Pointer to an attribute: it must be like "/name" or "/labels/key", with "/" in a key written as "~1" and "~" as "~0".`,
    )
  }
  return path.slice(1).split('/').map(unescaped)
}

/** The JSON Pointer of segments. */
export const formatPointer = (segments: readonly string[]): string =>
  segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
