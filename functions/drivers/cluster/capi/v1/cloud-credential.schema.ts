import * as z from 'zod'
import type { CloudCredential } from '../../../contract/cluster-driver.ts'

const CloudCredentialShape = z.object({
  authUrl: z.string(),
  region: z.string().nullable(),
  applicationCredentialId: z.string(),
  applicationCredentialSecret: z.string(),
  caPem: z.string().nullable(),
}) satisfies z.ZodType<CloudCredential>

/** JSON of an application credential, as `context.cloudCredential()` gives it. */
export const CloudCredentialText = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      // What exactly is wrong with it is nobody's business: it is a secret.
      context.addIssue({ code: 'custom' })
      return z.NEVER
    }
  })
  .pipe(CloudCredentialShape)
