import { PreflightFailed } from '../../../../contract/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { step } from '../../../../support/step.ts'
import { hostFindings } from '../check-update.ts'

/** Refuses properties that the host can't follow, before anything is changed. */
export const checkPhase: Phase<FederationContext> = {
  id: 'check',
  title: 'checks of the new properties',
  deadlineSeconds: 60,
  ensure: (context) =>
    step(async () => {
      const errors = (await hostFindings(context)).filter(({ severity }) => severity === 'error')
      if (errors.length === 0) return {}
      const words = errors.map(({ reason, message }) => `${reason} (host): ${message}`)
      throw new PreflightFailed(`Nothing was changed. ${words.join(' ')}`)
    }),
}
