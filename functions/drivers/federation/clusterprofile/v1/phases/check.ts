import { isAppError } from '../../../../../core/values/app-error.ts'
import { PreflightFailed } from '../../../../contract/errors.ts'
import type { FederationContext, Finding, MemberContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { step } from '../../../../support/step.ts'
import { hostFindings, memberFindings } from '../check-update.ts'

const inWords = (where: string, findings: readonly Finding[]): string[] =>
  findings
    .filter(({ severity }) => severity === 'error')
    .map(({ reason, message }) => `${reason} (${where}): ${message}`)

/** What one member refuses. One that can't be asked refuses nothing here: the phase after this one says what keeps it. */
const refusalsOf = async (context: MemberContext): Promise<string[]> => {
  try {
    return inWords(`member ${context.member.cluster.name}`, await memberFindings(context))
  } catch (error) {
    if (isAppError(error)) return []
    throw error
  }
}

/** Refuses properties that host or members can't follow, before anything is changed: consumers keep what they have. */
export const checkPhase: Phase<FederationContext> = {
  id: 'check',
  title: 'checks of the new properties',
  deadlineSeconds: 120,
  ensure: (context) =>
    step(async () => {
      const members = (await context.members?.()) ?? []
      const refusals = await Promise.all([
        hostFindings(context).then((findings) => inWords('host', findings)),
        ...members.map(refusalsOf),
      ])
      if (refusals.flat().length === 0) return {}
      throw new PreflightFailed(`Nothing was changed. ${refusals.flat().join(' ')}`)
    }),
}
