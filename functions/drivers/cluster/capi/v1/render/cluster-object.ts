import { isLabelValue } from '../../../../../core/values/kubernetes-syntax.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { changedSpec } from './changed-spec.ts'
import { freshSpec } from './fresh-spec.ts'
import { CLUSTER_LABEL, PROJECT_LABEL } from './names.ts'
import { NETWORK_DRIVER_LABEL, networkDriverOf } from './network-driver.ts'
import type { RenderPlan } from './plan.ts'
import { specOf } from './topology.ts'

const labelsOf = (plan: RenderPlan): Record<string, string> => {
  const labels = {
    'app.kubernetes.io/managed-by': 'fedplane',
    [CLUSTER_LABEL]: plan.cluster.id,
    [PROJECT_LABEL]: plan.cluster.projectId,
    [NETWORK_DRIVER_LABEL]: networkDriverOf(plan),
  }
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== '' && isLabelValue(value)))
}

/**
 * The topology `Cluster` as it is sent by server-side apply: all of our part, each time.
 *
 * Without a previous one it is made from what is wanted. With one only that is changed which the task is about: what can't be changed later stays as it
 * was written first (cluster-api.md section 7, row 17), and the class stays but in an upgrade (row 19).
 *
 * @throws KubernetesVersionMissing when nothing says a version, which `check` refuses
 */
export const clusterObject = (plan: RenderPlan): KubernetesObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: {
    name: plan.names.cluster,
    namespace: plan.names.namespace,
    labels: labelsOf(plan),
  },
  spec: plan.previous === undefined ? freshSpec(plan) : changedSpec(plan, specOf(plan.previous)),
})
