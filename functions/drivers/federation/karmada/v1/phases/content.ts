import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { settleAll } from '../../../../support/settle-all.ts'
import { step } from '../../../../support/step.ts'
import { applyAll } from '../control-plane/apply-all.ts'
import { requireAvailable, requireEstablished } from '../control-plane/await-served.ts'
import { contentOf } from '../control-plane/content.ts'
import { workInControlPlane } from '../control-plane/work-in.ts'
import { ensureAggregatedApiServer } from './workloads.ts'

const DEADLINE_SECONDS = 300

/**
 * Makes the API server a control plane: namespaces, CRDs, webhooks, aggregation, roles. Waits until all of that is served, the aggregated API too,
 * since controllers that start before it end again. Its undo is that of storage and namespace: nothing of it is outside of the control plane.
 */
export const contentPhase = (): Phase<FederationContext> => ({
  id: 'content',
  title: 'CRDs, webhooks, aggregation and roles',
  deadlineSeconds: DEADLINE_SECONDS,
  ensure: (context) =>
    step(async (trace) => {
      const { namespaces, roles, rest } = await contentOf(context)
      await workInControlPlane(context, async (client) => {
        await applyAll(client, namespaces)
        // The aggregated API server needs its roles to start.
        await applyAll(client, roles)
        await settleAll([() => applyAll(client, rest), () => ensureAggregatedApiServer(context, trace)])
        await requireEstablished(client)
        await requireAvailable(client)
      })
      return {}
    }),
})
