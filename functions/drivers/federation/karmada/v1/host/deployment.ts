import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import type { Pki } from '../pki/pki.schema.ts'
import { componentLabels, type HostPlan, metadataOf } from './plan.ts'
import { type PodSpec, podTemplate } from './pod.ts'

/** One pod alone is replaced by a new one that comes first; of three one may be missed, so that no room for a fourth is needed. */
const rollingUpdate = ({ properties: { replicas } }: HostPlan) =>
  replicas === 1 ? { maxSurge: 1, maxUnavailable: 0 } : { maxSurge: 0, maxUnavailable: 1 }

/** A component without storage. */
export const deploymentOf = (plan: HostPlan, pki: Pki, spec: PodSpec): Manifest<'Deployment'> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadataOf(plan, spec.component),
  spec: {
    replicas: plan.properties.replicas,
    strategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate(plan) },
    selector: { matchLabels: componentLabels(plan.federationId, spec.component) },
    template: podTemplate(plan, pki, spec),
  },
})

/** With three pods of a component one at a time may be evicted; a budget for one pod would only block the drain of its node. */
export const budgetManifests = (plan: HostPlan, components: readonly string[]): Manifest<'PodDisruptionBudget'>[] =>
  plan.properties.replicas === 1
    ? []
    : components.map((component) => ({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: metadataOf(plan, component),
        spec: {
          maxUnavailable: 1,
          selector: { matchLabels: componentLabels(plan.federationId, component) },
        },
      }))
