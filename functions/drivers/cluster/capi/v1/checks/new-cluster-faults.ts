import { isOlderVersion } from '../../../../../core/values/kubernetes-version.ts'
import { quote } from '../../../../../core/values/wording.ts'
import type { PlannedCluster } from '../../../../contract/cluster-driver-description.ts'
import { firstVersion } from '../desired.ts'
import { INFRASTRUCTURES } from '../infrastructure.ts'
import { clusterValues, labelFaults } from '../labels.ts'
import { apiServerFaults, portFaults } from './api-server-faults.ts'
import { infrastructureOfPlan, newGroupFaults } from './group-faults.ts'
import { networkFaults, overlapFaults } from './network-faults.ts'
import { sizeFaults } from './size-faults.ts'
import { templateFaults } from './template-faults.ts'

const infrastructureFaults = (plan: PlannedCluster): string[] => {
  const { management } = plan
  if (management === null) {
    return [
      'Clusters of capi@1 are made through a management cluster, and there is none; ask an administrator to register one.',
    ]
  }
  if (infrastructureOfPlan(plan) !== undefined) return []
  return [
    `Management cluster ${management.name} is registered for the infrastructure ${quote(management.options.infrastructure ?? '')}; capi@1 knows ${INFRASTRUCTURES.join(' and ')}. Ask its administrator.`,
  ]
}

/** What kubeadm's bootstrap provider still makes a configuration for. */
const OLDEST = 'v1.22.0'

const tooOld = (version: string): string =>
  `Label kube_tag is ${version}; Cluster API makes no clusters of Kubernetes before ${OLDEST}: give a newer version.`

/** A label that can't be read is told as one; so this is about absence, and about what can't be made. */
const versionFaults = ({ cluster, template }: PlannedCluster): string[] => {
  const isOwn = (cluster.magnum.labels.kube_tag ?? '') !== ''
  const ofTemplate = template?.spec.labels.kube_tag ?? ''
  const version = firstVersion({ cluster, template })
  if (version !== undefined) return isOlderVersion(version, OLDEST) ? [tooOld(version)] : []
  if (isOwn) return []
  return [
    ofTemplate !== ''
      ? `Label kube_tag of the cluster template is ${quote(ofTemplate)}; give a Kubernetes version such as v1.36.0.`
      : 'Nothing says which Kubernetes version the cluster is to run; give the cluster template the label kube_tag, for example kube_tag=v1.36.0.',
  ]
}

const tlsFaults = ({ cluster: { magnum } }: PlannedCluster): string[] =>
  magnum.tlsDisabled
    ? [
        '"tls_disabled" of the cluster template is true; clusters of capi@1 always use TLS: choose a template without it.',
      ]
    : []

/** Why a cluster can't be made: one sentence for each fault. */
export const newClusterFaults = (plan: PlannedCluster): string[] => {
  const { cluster, template, nodeGroups } = plan
  const infrastructure = infrastructureOfPlan(plan)
  const ownLabels = cluster.magnum.labels
  return [
    ...infrastructureFaults(plan),
    ...tlsFaults(plan),
    ...versionFaults(plan),
    ...labelFaults(ownLabels, 'the cluster', infrastructure),
    ...(template === null ? [] : templateFaults(template.spec, infrastructure)),
    ...(infrastructure === 'openstack' ? networkFaults(plan) : []),
    ...overlapFaults(plan),
    ...apiServerFaults(clusterValues(ownLabels)),
    ...portFaults(template?.spec.apiserverPort ?? null, clusterValues(ownLabels)),
    ...nodeGroups.flatMap((group) => newGroupFaults(plan, group, (key) => group.labels[key] !== ownLabels[key])),
    ...sizeFaults(plan, nodeGroups),
  ]
}
