import * as z from 'zod'

const TYPE_RULE = 'must be "cluster"'

/** An empty parameter is an absent one. */
export const statsQuery = z.object({
  project_id: z
    .string()
    .max(255, { error: 'must be text of at most 255 characters' })
    .optional()
    .transform((text) => text || undefined),
  type: z
    .string()
    .refine((text) => text.toLowerCase() === 'cluster', { error: TYPE_RULE })
    .meta({ enum: ['cluster'] })
    .optional(),
})
export type StatsQuery = z.output<typeof statsQuery>
