import * as z from 'zod'
import { Secret } from '../values/secret.ts'

const text = z.string().min(1)

const grant = z.object({
  userId: text,
  leafId: text,
  minter: z.object({ id: text, secret: text.transform((value) => new Secret(value)) }),
})

/** What a cluster was lent in the cloud, as it is sealed. */
export const Grants = z.object({
  /** In force; null while the cluster is being deleted. */
  current: grant.nullable(),
  /** Waits for the driver to put it in place. */
  candidate: grant.nullable(),
  /** Still to be revoked. */
  former: z.array(grant),
})
export type Grants = z.infer<typeof Grants>
