import { withoutFullStop } from '../../../../../core/values/wording.ts'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { ApiUnavailable } from '../../../../../kubernetes/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { Pending, step } from '../../../../support/step.ts'
import { CLUSTER_VERSION } from '../control-plane/aggregation.ts'
import { differences } from '../control-plane/apply-all.ts'
import { requireAvailable, requireEstablished } from '../control-plane/await-served.ts'
import { contentOf } from '../control-plane/content.ts'
import { withControlPlane } from '../control-plane/open.ts'
import { CLUSTER_GROUP } from '../names.ts'
import { stateOf } from '../state.ts'

const DEADLINE_SECONDS = 180

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
const detourRemarks = ({ federation }: FederationContext, detour: string | null): string[] => {
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
  deadlineSeconds: DEADLINE_SECONDS,
  ensure: (context) =>
    step(async () => {
      const remarks = await withControlPlane(context, async (client, detour) => {
        await Promise.all([
          requireAvailable(client),
          requireEstablished(client),
          requireDiscovery(client),
          requireWebhooks(client),
          requireContent(context, client),
        ])
        return detourRemarks(context, detour)
      })
      return { remarks }
    }),
})
