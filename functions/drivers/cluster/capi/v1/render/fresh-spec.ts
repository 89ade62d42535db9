import type { JsonObject } from '../../../../../domain/json.ts'
import { isMaster } from '../../../../../domain/node-group.ts'
import { firstVersion } from '../wishes.ts'
import { className } from './class-objects.ts'
import { compact } from './compact.ts'
import { controlPlaneOf, controlPlaneVariables } from './control-plane.ts'
import { KubernetesVersionMissing } from './errors.ts'
import { INFRASTRUCTURE_KINDS } from './infrastructures.ts'
import { networkDriverOf } from './network-driver.ts'
import type { RenderPlan } from './plan.ts'
import { type ClusterSpec, type Variable, withEntries } from './topology.ts'
import { VARIABLES } from './variables.ts'
import { type ClusterWish, clusterWish } from './wish.ts'
import { newEntry } from './worker-entry.ts'

/** Pods' network when no label says one, as both Magnum drivers have it. */
const PODS_CIDR = '10.100.0.0/16'

/** Each CNI has a label of its own for the pods' network. */
const podsCidr = ({ values, plan }: ClusterWish): string => {
  const { calico_ipv4pool: calico, cilium_ipv4pool: cilium } = values
  return (networkDriverOf(plan) === 'cilium' ? (cilium ?? calico) : (calico ?? cilium)) ?? PODS_CIDR
}

const clusterNetwork = (wish: ClusterWish): JsonObject =>
  compact({
    apiServerPort: wish.spec?.apiserverPort,
    pods: { cidrBlocks: [podsCidr(wish)] },
    services: { cidrBlocks: [wish.values.service_cluster_ip_range] },
    serviceDomain: wish.values.dns_cluster_domain,
  })

const infrastructureVariable = (wish: ClusterWish): Variable[] => {
  const { clusterSpec } = INFRASTRUCTURE_KINDS[wish.plan.infrastructure]
  return clusterSpec === undefined ? [] : [{ name: VARIABLES.infrastructureCluster, value: clusterSpec(wish) }]
}

/** `spec` of a Cluster that is not there yet. @throws KubernetesVersionMissing */
export const freshSpec = (plan: RenderPlan): ClusterSpec => {
  const version = firstVersion(plan)
  const master = plan.nodeGroups.find(isMaster)
  if (version === undefined || master === undefined) {
    throw new KubernetesVersionMissing(
      `Nothing says which Kubernetes version cluster ${plan.cluster.name} is to run: give its cluster template the label kube_tag, for example kube_tag=v1.36.0.`,
    )
  }
  const wish = clusterWish(plan)
  const workers = plan.nodeGroups.filter((group) => !isMaster(group))
  const topology = {
    classRef: { name: className(plan.infrastructure) },
    version,
    controlPlane: controlPlaneOf(plan, master),
    variables: [...infrastructureVariable(wish), ...controlPlaneVariables(plan, master)],
  }
  return {
    clusterNetwork: clusterNetwork(wish),
    topology: withEntries(
      topology,
      workers.map((group) => newEntry(plan, group)),
    ),
  }
}
