import { withoutFullStop } from '../../../../../core/values/wording.ts'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { ApiUnavailable } from '../../../../../kubernetes/errors.ts'
import { PreflightFailed } from '../../../../contract/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { Pending, settleAll, step } from '../../../../support/step.ts'
import { hostFindings } from '../checks/update.ts'
import { applyAll, differences, requireAvailable, requireEstablished } from '../control-plane/apply-all.ts'
import { CLUSTER_VERSION, contentOf } from '../control-plane/content.ts'
import { withControlPlane, workInControlPlane } from '../control-plane/open.ts'
import { CLUSTER_GROUP, stateOf } from '../model/names.ts'
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

const VERIFY_SECONDS = 180

/** A policy that would spread nothing that anybody has. */
const PROBE = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name: 'fedplane-verify', namespace: 'default' },
  spec: {
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'fedplane-verify' }],
    placement: { clusterAffinity: { clusterNames: [] } },
  },
}

const requireDiscovery = async (client: KubernetesClient): Promise<void> => {
  const path = `/apis/${CLUSTER_GROUP}/${CLUSTER_VERSION}/clusters?limit=1`
  const { status } = await client.raw(path)
  if (status !== 200) throw new Pending(`GET ${path} of the control plane to answer 200; it answers ${status}`)
}

/** Both webhooks have failurePolicy Fail, so an answer that is no refusal is theirs. */
const requireWebhooks = async (client: KubernetesClient): Promise<void> => {
  try {
    await client.post('/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies?dryRun=All', PROBE)
  } catch (error) {
    if (!(error instanceof ApiUnavailable)) throw error
    throw new Pending(`the webhooks of the control plane to take a PropagationPolicy: ${error.message}`)
  }
}

/** @throws Pending naming what somebody else changed, or what is not there */
const requireContent = async (context: FederationContext, client: KubernetesClient): Promise<void> => {
  const { namespaces, roles, rest } = await contentOf(context)
  const [first, ...more] = await differences(client, [...namespaces, ...roles, ...rest])
  if (first === undefined) return
  const { kind, metadata } = first.object
  throw new Pending(`${kind} ${metadata.name} in the control plane to be as it was made (and ${more.length} more)`)
}

/** Of an address that leads nowhere from here: it may be right all the same, for who is elsewhere. */
const detourWarnings = ({ federation }: FederationContext, detour: string | null): string[] => {
  const { endpoint } = stateOf(federation)
  if (detour === null) return []
  return [
    `Its address ${endpoint} is not reached from here, so fedplane goes through the host's API (${withoutFullStop(detour)}). See whether users reach it.`,
  ]
}

/** Sees that the control plane works as a whole: discovery, aggregation, webhooks by a policy in a dry run, roles and all other content. */
export const verifyPhase = (): Phase<FederationContext> => ({
  id: 'verify',
  title: 'verification',
  deadlineSeconds: VERIFY_SECONDS,
  ensure: (context) =>
    step(async () => {
      const warnings = await withControlPlane(context, async (client, detour) => {
        await Promise.all([
          requireAvailable(client),
          requireEstablished(client),
          requireDiscovery(client),
          requireWebhooks(client),
          requireContent(context, client),
        ])
        return detourWarnings(context, detour)
      })
      return { warnings }
    }),
})

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
