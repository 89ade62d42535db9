import * as z from 'zod'
import { type Attribute, type Attributes, PLACES, type Place } from '../core/values/attributes.ts'
import { STATUSES } from '../core/values/status.ts'
import type { Method } from './route.ts'

/** Parts of answers that several resources share; for documentation, since handlers make answers from typed entities. */

/** 202 of everything that goes on after the answer (magnum-rest.md section 0 rule 4). */
export const uuidAnswer = z.object({ uuid: z.string() }).meta({ description: 'Id of the object that is changed.' })

export const linksAnswer = z.array(z.object({ href: z.string(), rel: z.string() }))

/** ISO 8601 with `+00:00`. */
export const timeAnswer = z.iso.datetime({ offset: true })

export const statusAnswer = z.enum(STATUSES)

/** Values are always text (magnum-rest.md section 0 rule 8). */
export const textMapAnswer = z.record(z.string(), z.string())

export const operationAnswer = z
  .object({
    id: z.string(),
    kind: z.string(),
    attempt: z.int(),
    mode: z.enum(['do', 'undo']),
    force: z.boolean(),
    workloads: z.literal('delete').optional(),
    started_at: timeAnswer,
    deadline: timeAnswer,
  })
  .nullable()

export const conditionsAnswer = z.array(
  z.object({
    type: z.string(),
    status: z.enum(['True', 'False', 'Unknown']),
    reason: z.string(),
    message: z.string(),
    observed_revision: z.int(),
    changed_at: timeAnswer,
  }),
)

/** A page of a list; `next` leads to the page after it (magnum-rest.md section 2). */
export const pageAnswer = <T extends z.ZodType>(collection: string, item: T) =>
  z.object({ [collection]: z.array(item), next: z.string().optional() })

/** A body as JSON, one for each media type, or null: none. */
export type Answer = z.ZodType | Readonly<Record<string, z.ZodType>> | null

/**
 * What routes answer when all is well, and how else: by method and path (`GET /v1/clusters`), then by status. Apart from the routes, because
 * only the OpenAPI document needs it, which is made when functions are bundled: none of them carries it.
 */
export type Answers = Readonly<Record<`${Method} ${string}`, Readonly<Record<number, Answer>>>>

/** With a credential: as JSON, or the bare file. */
export const kubeconfigAnswer = {
  'application/json': z.object({ kubeconfig: z.string(), expires_at: timeAnswer }),
  'application/yaml': z.string(),
} satisfies Answer

/** What happened to an entity. */
export const eventAnswer = z.object({
  id: z.string(),
  action: z.string(),
  outcome: z.string(),
  reason: z.string(),
  message: z.string(),
  cluster_id: z.string().nullable().meta({ description: 'Of a federation: the member that it is about.' }),
  sequence: z.int(),
  time: timeAnswer,
})

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
