import * as z from 'zod'
import { type Attribute, type Attributes, PLACES, type Place } from '../core/values/attributes.ts'
import { linksAnswer, textMapAnswer, timeAnswer } from './common.answer.schema.ts'

const TYPES: Readonly<Record<Attribute['type'], z.ZodType>> = {
  text: z.string(),
  word: z.string(),
  integer: z.int(),
  boolean: z.boolean(),
  labels: textMapAnswer,
  list: z.array(z.string()),
  time: timeAnswer,
  links: linksAnswer,
  object: z.unknown(),
}

const versionsOf = ({ since, until }: Attribute): string | undefined => {
  if (until !== undefined) return `Up to version 1.${until}.`
  return since === undefined ? undefined : `From version 1.${since} on.`
}

const schemaOf = (attribute: Attribute): z.ZodType => {
  const { type, words, nullable } = attribute
  const schema = words === undefined ? TYPES[type] : z.enum(words)
  const versions = versionsOf(attribute)
  const answer = nullable ? schema.nullable() : schema
  return versions === undefined ? answer : answer.optional().meta({ description: versions })
}

/**
 * What answers in a place have of attributes, as the table says.
 *
 * @param own schemas of what a type does not say, by name
 */
export const answerFields = (
  attributes: Attributes,
  place: Place,
  own: Readonly<Record<string, z.ZodType>> = {},
): Record<string, z.ZodType> => {
  const places = PLACES.slice(0, PLACES.indexOf(place) + 1)
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, attribute]) =>
      places.some((one) => one === attribute.shown) ? [[name, own[name] ?? schemaOf(attribute)]] : [],
    ),
  )
}
