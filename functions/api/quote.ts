const SHOWN_MAX = 64

/** Text of a caller for a message: quoted with escapes, so that it forges no log line, and cut to 64 characters. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text)

/** The word for how many there are: `Allowed is` of one, `Allowed are` of several. */
export const byNumber = (items: readonly unknown[], one: string, several: string): string =>
  items.length === 1 ? one : several

/** `a`, `a and b`, `a, b and c`; the rest of a long list as a number. */
export const listInWords = (items: readonly string[], max = 20): string => {
  const shown = items.length > max ? [...items.slice(0, max), `${items.length - max} more`] : [...items]
  const last = shown.pop() ?? ''
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`
}
