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
