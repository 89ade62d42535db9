import { UNSHOWN } from './shown-text.ts'

/** `1 member`, `2 members`: a number with its regular noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The sentence without its full stop, to go on inside of another one. */
export const withoutFullStop = (sentence: string): string => sentence.replace(/\.+$/, '')

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Text of somebody else for a message: in quotes, cut after `max` characters, and with escapes for what would break a line or move a
 * terminal's cursor. JSON alone escapes control characters below U+0020 only, and none that change the direction of writing.
 */
export const quoteUpTo = (max: number, text: string): string =>
  JSON.stringify(text.length > max ? `${text.slice(0, max)}…` : text).replace(UNSHOWN, escaped)

/** `quoteUpTo` 64 characters. */
export const quote = (text: string): string => quoteUpTo(64, text)

/** The word for how many there are: `Allowed is` of one, `Allowed are` of several. */
export const byNumber = (items: readonly unknown[], one: string, several: string): string =>
  items.length === 1 ? one : several

/** `a`, `a and b`, `a, b and c`; the rest of a long list as a number. */
export const listInWords = (items: readonly string[], max = 20): string => {
  const shown = items.length > max ? [...items.slice(0, max), `${items.length - max} more`] : [...items]
  const last = shown.pop() ?? ''
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`
}
