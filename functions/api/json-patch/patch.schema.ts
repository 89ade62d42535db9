import * as z from 'zod'

/** The shape of a patch, for documentation; `parsePatch` reads it with better messages. */
export const patchSchema = z.array(
  z.strictObject({
    op: z.enum(['add', 'replace', 'remove']),
    path: z.string(),
    value: z.unknown().optional(),
  }),
)
