import { secrets } from '../../../../../kubernetes/resources.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { FEDERATION_LABEL } from '../../../../support/owned.ts'
import { step } from '../../../../support/step.ts'
import { ensureAll, hostWork, requirePki } from '../host/host-work.ts'
import { removeSelected } from '../host/remove.ts'
import { secretManifests } from '../host/secrets.ts'

/** One kubeconfig Secret for each component, with its own identity, and one Secret for each other use of a certificate or key. */
export const secretsPhase: Phase<FederationContext> = {
  id: 'kubeconfigs',
  title: 'kubeconfig and certificate Secrets',
  deadlineSeconds: 60,
  ensure: (context) =>
    step(async (trace) => {
      const work = await hostWork(context)
      await ensureAll(work, trace, secretManifests(work.plan, await requirePki(context)))
      return {}
    }),
  undo: (context) =>
    step(async () => {
      const work = await hostWork(context)
      await removeSelected(work, [secrets(work.namespace)], `${FEDERATION_LABEL}=${work.site.federationId}`)
      return {}
    }),
}
