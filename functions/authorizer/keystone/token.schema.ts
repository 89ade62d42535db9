import * as z from 'zod'
import { PrincipalId } from '../roles.ts'

/** `2026-11-25T10:00:00.000000Z` as milliseconds since the epoch. */
const Instant = z
  .string()
  .transform((text) => Date.parse(text))
  .refine((milliseconds) => Number.isFinite(milliseconds))

/** Answer to POST /v3/auth/tokens, as far as it is used. The token itself is in a header. */
export const IssuedToken = z.object({ token: z.object({ expires_at: Instant }) })

/** Answer to GET /v3/auth/tokens, as far as it is used. Scope: `project`, `domain`, `system`, or none of them. */
export const ValidatedToken = z.object({
  token: z.object({
    expires_at: Instant,
    user: z.object({ id: PrincipalId }),
    project: z.object({ id: PrincipalId }).optional(),
    domain: z.looseObject({}).optional(),
    system: z.looseObject({}).optional(),
    roles: z.array(z.object({ name: z.string() })).default([]),
  }),
})
export type ValidatedToken = z.infer<typeof ValidatedToken>
