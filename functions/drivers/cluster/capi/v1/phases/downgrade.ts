import { isOlderVersion } from '../../../../../core/values/kubernetes-version.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { specOf } from '../render/topology.ts'

/**
 * Why an upgrade can't be that would take back one that failed: Cluster API goes back to no version once it was told of it. Undefined for others.
 */
export const downgradeOf = (
  { cluster, task }: ClusterContext,
  previous: KubernetesObject | undefined,
  wanted: KubernetesObject,
): string | undefined => {
  if (task?.kind !== 'upgrade' || previous === undefined) return undefined
  const [from, to] = [specOf(previous).topology.version, specOf(wanted).topology.version]
  return isOlderVersion(to, from)
    ? `Cluster ${cluster.name} can't go back to ${to}: its control plane is on its way to ${from} since an upgrade that failed, and Cluster API goes back to no version. Choose a cluster template with the label kube_tag=${from}.`
    : undefined
}
