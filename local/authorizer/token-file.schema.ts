import * as z from 'zod'
import { ROLES } from '../../functions/core/values/identity.ts'

const Id = z.string().min(1).max(255)

/** Who holds a token, of an entry that may be wrong otherwise. */
export const Holder = z.looseObject({ userId: Id })

/** The file that FEDPLANE_TOKENS names: token → who holds it. */
export const TokenFile = z.record(
  z.string().min(1),
  z.strictObject({ userId: Id, projectId: Id, roles: z.array(z.enum(ROLES)).min(1) }),
)
export type TokenFile = z.infer<typeof TokenFile>
