import type { MemberContext } from '../../../contract/federation-driver.ts'
import type { StepResult } from '../../../contract/phase.ts'
import { hostSite } from '../../../support/sites.ts'
import { step } from '../../../support/step.ts'
import { removePublished } from './host/inventory.ts'
import { memberSelector } from './names.ts'

/**
 * Removes the member's profiles and tokens wherever in the host they are, found by label, and waits until they are gone: a consumer's
 * finalizer (older Argo CD integration) may hold a profile for a while. Never talks to the member.
 */
export const deregisterMember = (context: MemberContext): Promise<StepResult> =>
  step(async () => {
    await removePublished(await hostSite(context), memberSelector(context.membership))
    return {}
  })
