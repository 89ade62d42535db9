import type { ServerVersion } from './client.ts'

export type ParsedVersion = ServerVersion & {
  /** Null when it can't be read. */
  patch: number | null
}

/** Characters of a version that are kept: it is stored, and the server may tell anything. */
const TEXT_MAX = 255

const GIT_VERSION = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?![\d.])/

/**
 * Numbers out of the answer of `GET /version`: from `gitVersion`, else from `major` and `minor` (which may end in `+`). Unknown is null;
 * never throws, whatever the answer is (cases/SV-07).
 */
export const parseVersion = (body: unknown): ParsedVersion => {
  const { gitVersion, major, minor } =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const text = typeof gitVersion === 'string' ? gitVersion.slice(0, TEXT_MAX) : ''
  const [, gitMajor, gitMinor, gitPatch] = GIT_VERSION.exec(text) ?? []
  if (gitMajor !== undefined && gitMinor !== undefined) {
    return { gitVersion: text, major: Number(gitMajor), minor: Number(gitMinor), patch: numberOf(gitPatch) }
  }
  const [fieldMajor, fieldMinor] = [numberOf(major), numberOf(minor)]
  const known = fieldMajor !== null && fieldMinor !== null
  return { gitVersion: text, major: known ? fieldMajor : null, minor: known ? fieldMinor : null, patch: null }
}

const numberOf = (text: unknown): number | null => {
  const digits = typeof text === 'string' ? /^(\d{1,6})\+?$/.exec(text)?.[1] : undefined
  return digits === undefined ? null : Number(digits)
}
