import * as z from 'zod'

/** JSON Pointer (RFC 6901) to an attribute, or into it. */
const path = z.string().regex(/^(\/([^~/]|~0|~1)+)+$/)
/** Whatever the attribute takes; never null. */
const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown()), z.record(z.string(), z.unknown())])

/** The shape of a patch, for documentation; `parsePatch` reads it with better messages. */
export const patchSchema = z.array(
  z.union([
    z.strictObject({ op: z.enum(['add', 'replace']), path, value }),
    z.strictObject({ op: z.literal('remove'), path, value: value.optional() }),
  ]),
)
