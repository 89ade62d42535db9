import * as z from 'zod'
import { bytesMaxOf, type SizedAttribute } from '../../core/values/attribute-sizes.ts'
import { isBlank, isShownAsIs, listInWords, quote, SHOWN_PATTERN, SHOWN_RULE } from '../../core/values/wording.ts'

/**
 * Field types of Magnum's request bodies (magnum-rest.md sections 2 and 4.1): `null` and `""` mean "not given", integers may be
 * numeric text, booleans may be text. Each message completes a sentence that begins with the field's name.
 */

const absent = (value: unknown): unknown => (value === null || value === '' ? undefined : value)

/** Wraps a field so that `""` is undefined. */
export const notGiven = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema)

/** Wraps a field so that null, `""` and absence are all undefined. */
export const optional = <S extends z.ZodType>(schema: S) => z.preprocess(absent, schema.optional())

const isPlain = (value: unknown): boolean => ['string', 'boolean', 'number'].includes(typeof value)

const TRUE = ['true', '1', 't', 'yes', 'y', 'on']
const FALSE = ['false', '0', 'f', 'no', 'n', 'off']

/** For the document, whose regular expressions have no flags: the texts that are booleans, in any case. */
export const BOOLEAN_PATTERN = `^(${[...TRUE, ...FALSE].map((text) => text.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)).join('|')})$`

/** Undefined when the text is no boolean (oslo's strutils.bool_from_string, strict). */
export const booleanOf = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value
  if (!isPlain(value)) return undefined
  const text = String(value).trim().toLowerCase()
  if (TRUE.includes(text)) return true
  return FALSE.includes(text) ? false : undefined
}

export const booleanField = z.preprocess(
  (value) => (isPlain(value) ? (booleanOf(value) ?? value) : value),
  z.boolean({ error: 'must be a boolean: true or false' }),
)

const INTEGER_TEXT = /^-?[0-9]{1,15}$/

const integerOf = (value: unknown): unknown =>
  typeof value === 'string' && INTEGER_TEXT.test(value) ? Number(value) : value

/** Largest integer that Magnum's database column holds. */
const INTEGER_MAX = 2 ** 31 - 1

export const integerField = (min: number, max = INTEGER_MAX) => {
  const error = `must be an integer from ${min} to ${max}`
  return z.preprocess(integerOf, z.int({ error }).min(min, { error }).max(max, { error }))
}

/** Something of it is seen. None at all is another fault. */
const isSeen = (text: string): boolean => text === '' || !isBlank(text)

/** Text of 1 to `max` characters that shows as what it is. */
export const textField = (max = 255) => {
  const error = `must be text of 1 to ${max} characters`
  return z
    .string({ error })
    .min(1, { error })
    .max(max, { error })
    .refine(isShownAsIs, { error: SHOWN_RULE })
    .refine(isSeen, { error: 'must not be blank' })
    .meta({ pattern: SHOWN_PATTERN })
}

/** One of the words. */
export const wordField = (words: readonly string[]) =>
  z.enum(words, { error: `must be ${words.map((word) => `"${word}"`).join(' or ')}` })

const NAME = /^[a-zA-Z][a-zA-Z0-9_.-]*$/
const NAME_MAX = 242
const NAME_RULE = `must be text of 1 to ${NAME_MAX} characters that begins with a letter and goes on with letters, digits, "_", "." and "-"`

/** Words that stand in paths where a name could (a test compares them with the routes): an object of such a name could be reached by its id only. */
export const RESERVED_NAMES: readonly string[] = ['actions', 'detail', 'inventory']

const reservedRule = `must not be ${listInWords(RESERVED_NAMES.map(quote))}: paths of the API have this word where a name stands. Try another, for example "my-${RESERVED_NAMES[1]}"`

/** Refuses names by which a path leads elsewhere. */
export const addressable = <T extends z.ZodType<string>>(field: T) =>
  field.refine((name) => !RESERVED_NAMES.includes(name), { error: reservedRule })

/** Names of clusters and federations; not unique. */
export const nameField = addressable(
  z.string({ error: NAME_RULE }).max(NAME_MAX, { error: NAME_RULE }).regex(NAME, { error: NAME_RULE }),
)

/** What the document says of an attribute that is bounded in bytes. */
export const sizeNote = (attribute: SizedAttribute): string =>
  `At most ${bytesMaxOf(attribute)} bytes as JSON, as stored (after merging or patching); else 413.`

/** Python's spelling, because that is what clients compare with. */
const labelText = (value: string | number | boolean): string => {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return String(value)
}

const LABEL_RULE = 'must be text, a number or a boolean'

const LABEL_KEY_MAX = 255

/** Labels: values are stored as text (magnum-rest.md 4.1). Their size is judged when it is known what is merged with them. */
export const labelsField = z
  .record(
    z.string().min(1).max(LABEL_KEY_MAX).refine(isShownAsIs).refine(isSeen),
    z
      .union([z.string(), z.number(), z.boolean()], { error: LABEL_RULE })
      .transform(labelText)
      .refine(isShownAsIs, { error: SHOWN_RULE }),
    {
      error: ({ code }) =>
        code === 'invalid_key'
          ? `must each have a name of 1 to ${LABEL_KEY_MAX} characters, not blank, with no control characters and none that change the direction of writing`
          : 'must be an object of label names and values',
    },
  )
  .meta({ description: sizeNote('labels') })
