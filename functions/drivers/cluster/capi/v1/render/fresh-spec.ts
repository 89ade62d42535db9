import { isMaster } from '../../../../../core/cluster/node-group.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'
import { podsCidr } from '../pods-network.ts'
import { firstVersion } from '../wishes.ts'
import { apiServerPortOf } from './api-server-port.ts'
import { classRef } from './class-objects.ts'
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

const clusterNetwork = (wish: ClusterWish): JsonObject =>
  compact({
    apiServerPort: apiServerPortOf(wish.plan),
    pods: { cidrBlocks: [podsCidr(wish.values, networkDriverOf(wish.plan))] },
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
    classRef: classRef(plan),
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
