import * as z from 'zod'
import { Secret } from '../../../../../core/values/secret.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'

const Credential = z.object({
  token: z.string().min(1),
  /** PEM; null where the member's certificate is not checked. */
  caBundle: z.string().nullable(),
  /** Null where another Karmada has the impersonator of this member. */
  impersonatorToken: z.string().min(1).nullable(),
})

/** What the control plane needs to get into a member: the text of the stored credential. */
export type KarmadaCredential = z.infer<typeof Credential>

export const sealedCredential = (credential: KarmadaCredential): Secret => new Secret(JSON.stringify(credential))

/** The stored credential; undefined before `prepareMember`. @throws ZodError for a text that is not ours */
export const storedCredential = async (context: MemberContext): Promise<KarmadaCredential | undefined> => {
  const token = await context.memberToken()
  return token === undefined ? undefined : Credential.parse(JSON.parse(token.reveal()))
}

/** @throws CredentialMissing */
export const requireCredential = async (context: MemberContext): Promise<KarmadaCredential> => {
  const credential = await storedCredential(context)
  if (credential !== undefined) return credential
  throw new CredentialMissing(
    `No credential for member ${context.membership.memberName} is stored. Remove it from the federation and add it again.`,
  )
}
