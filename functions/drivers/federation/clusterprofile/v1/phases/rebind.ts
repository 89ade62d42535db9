import { type AppError, isAppError } from '../../../../../core/values/app-error.ts'
import type { FederationContext, MemberContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { ensureBinding } from '../../../../support/member/account.ts'
import { memberSite } from '../../../../support/sites.ts'
import { step } from '../../../../support/step.ts'
import { parseProperties } from '../schema.ts'

/** Binds the account in one member; the refusal, when there is one. */
const rebind = async (member: MemberContext, role: string): Promise<AppError | undefined> => {
  try {
    await ensureBinding(await memberSite(member), { made: () => undefined }, role)
    return undefined
  } catch (error) {
    if (isAppError(error)) return error
    throw error
  }
}

/**
 * After `member-role` changed: binds the accounts in all members to the new role. Every member is tried before the first refusal is
 * thrown, so one that can't be reached keeps no other from the new role.
 */
export const rebindPhase: Phase<FederationContext> = {
  id: 'rebind',
  title: 'rights in the members',
  deadlineSeconds: 300,
  ensure: (context) =>
    step(async () => {
      const { memberRole } = parseProperties(context.federation.properties)
      const members = (await context.members?.()) ?? []
      const refusals = await Promise.all(members.map((member) => rebind(member, memberRole)))
      const first = refusals.find((refusal) => refusal !== undefined)
      if (first !== undefined) throw first
      return {}
    }),
}
