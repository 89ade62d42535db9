import * as z from 'zod'
import { type ObjectRef, PLACES } from '../core/values/object-ref.ts'

/** An object that a flow made, as state data carries it. */
export const ObjectRefSchema = z.object({
  where: z.enum(PLACES),
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
}) satisfies z.ZodType<ObjectRef>
