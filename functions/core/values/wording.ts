/** Control characters, and those that break lines or change the direction of writing: text with them shows as another one, forges log lines and breaks terminals. */
export const UNSHOWN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** The same as all other characters, for documents whose readers do not all know classes of characters. */
export const SHOWN_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]*$'

/** The rule for text of callers; completes a sentence. */
export const SHOWN_RULE = 'must have no control characters, and none that change the direction of writing'

/** True for text on one line that shows as what it is. */
export const isShownAsIs = (text: string): boolean => text.search(UNSHOWN) < 0

/** True for text of which nothing is seen: empty, spaces, characters without width. */
export const isBlank = (text: string): boolean => !/[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)

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
