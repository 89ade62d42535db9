import * as z from 'zod'
import { STATUSES } from '../core/values/status.ts'

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
