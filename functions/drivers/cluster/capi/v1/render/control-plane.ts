import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { INFRASTRUCTURE_KINDS } from './infrastructures.ts'
import { controlPlaneConfig } from './kubeadm/configs.ts'
import { NODE_GROUP_LABEL } from './names.ts'
import type { RenderPlan } from './plan.ts'
import type { Topology, Variable } from './topology.ts'
import { VARIABLES } from './variables.ts'
import { groupWish } from './wish.ts'

/** The control plane's part of a topology. */
export const controlPlaneOf = (plan: RenderPlan, group: NodeGroup): Topology['controlPlane'] => ({
  metadata: { labels: { [NODE_GROUP_LABEL]: group.id } },
  replicas: group.nodeCount,
  healthCheck: { enabled: groupWish(plan, group).own.auto_healing_enabled },
})

/** The variables that make its machines. */
export const controlPlaneVariables = (plan: RenderPlan, group: NodeGroup): Variable[] => {
  const wish = groupWish(plan, group)
  return [
    { name: VARIABLES.controlPlaneMachine, value: INFRASTRUCTURE_KINDS[plan.infrastructure].machineSpec(wish) },
    { name: VARIABLES.controlPlaneConfig, value: controlPlaneConfig(wish) },
  ]
}
