import { quote } from '../../../../../domain/wording.ts'
import type { PlannedCluster } from '../../../../contract/cluster-driver-description.ts'
import { INFRASTRUCTURES } from '../infrastructure.ts'
import { clusterValues, labelFaults } from '../labels.ts'
import { firstVersion } from '../wishes.ts'
import { infrastructureOfPlan, newGroupFaults } from './group-faults.ts'
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

/** A label that can't be read is told as one; so this is about absence. */
const versionFaults = ({ cluster, template }: PlannedCluster): string[] => {
  const isOwn = (cluster.magnum.labels.kube_tag ?? '') !== ''
  const ofTemplate = template?.spec.labels.kube_tag ?? ''
  if (firstVersion({ cluster, template }) !== undefined || isOwn) return []
  return [
    ofTemplate !== ''
      ? `Label kube_tag of the cluster template is ${quote(ofTemplate)}; give a Kubernetes version such as v1.36.0.`
      : 'Nothing says which Kubernetes version the cluster is to run; give the cluster template the label kube_tag, for example kube_tag=v1.36.0.',
  ]
}

/** What does not fit together. */
const networkFaults = ({ cluster: { magnum } }: PlannedCluster): string[] => {
  const values = clusterValues(magnum.labels)
  const isOvn = values.octavia_provider === 'ovn'
  const hasFloatingIp = values.master_lb_floating_ip_enabled ?? magnum.floatingIpEnabled ?? true
  return [
    ...(isOvn && values.octavia_lb_algorithm !== undefined && values.octavia_lb_algorithm !== 'SOURCE_IP_PORT'
      ? [
          `Label octavia_lb_algorithm is ${values.octavia_lb_algorithm}; load balancers of the provider ovn know SOURCE_IP_PORT only.`,
        ]
      : []),
    ...(magnum.fixedSubnet && !magnum.fixedNetwork
      ? ['"fixed_subnet" is given without "fixed_network"; give the network that it is in.']
      : []),
    ...(hasFloatingIp || magnum.masterLbEnabled
      ? []
      : [
          'The API server would have neither a floating IP nor a load balancer, and so no address; give "master_lb_enabled" or "floating_ip_enabled".',
        ]),
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
    ...nodeGroups.flatMap((group) => newGroupFaults(plan, group, (key) => group.labels[key] !== ownLabels[key])),
  ]
}
