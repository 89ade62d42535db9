import type { Cluster } from '../../domain/cluster.ts'
import type { ClusterTask, ClusterTaskKind } from '../../domain/cluster-task.ts'
import type { ClusterTemplate } from '../../domain/cluster-template.ts'
import type { DriverId } from '../../domain/driver-id.ts'
import type { NodeGroup } from '../../domain/node-group.ts'

/** Version of this contract; `docs/drivers/cluster-contract.md` is its table. */
export const CLUSTER_CONTRACT = 1

/** What a cluster driver can do, as data: core code asks these, never the driver's name. `updates` says which changes it knows. */
export type ClusterCapabilities = {
  /** A kubeconfig is given at registration. */
  needsKubeconfig: boolean
  /** `connection` works. */
  kubernetesApi: boolean
  /** Makes clusters with their nodes from a cluster template; else what is there is only counted. */
  makesNodes: boolean
  /** fedplane holds the cluster's certificate authorities, and so signs certificates for it. */
  certificateAuthority: boolean
}

/** A public template that stands for clusters which need none (magnum-rest.md 4.1: `cluster_template_id` is mandatory). */
export type BuiltinTemplate = {
  /** Constant UUID. */
  id: string
  name: string
}

/** A cluster as it is or would be, for a check before anything is written. */
export type PlannedCluster = {
  cluster: Cluster
  /** Null for drivers that make no nodes. During an upgrade the new one. */
  template: ClusterTemplate | null
  nodeGroups: readonly NodeGroup[]
  /** Null: the cluster is to be created. */
  task: ClusterTask | null
}

/**
 * What a cluster driver says: data and pure checks, all that routes without key rights need of it. What it does is in `ClusterDriver`, whose
 * code they do not carry.
 */
export type ClusterDriverDescription = {
  id: DriverId
  contract: typeof CLUSTER_CONTRACT
  /** One sentence for `GET /v1/drivers`. */
  description: string
  capabilities: ClusterCapabilities
  /** Listed as a public template in every project; null when its clusters need a template of their own. */
  builtinTemplate: BuiltinTemplate | null
  /** Kinds of change that it can make: `phases.update` has a plan for each of them and no other. Other kinds are refused with 400. */
  updates: readonly ClusterTaskKind[]
  /** Checks a wish before anything is written; one sentence per fault, none when it is good. Pure. */
  check(plan: PlannedCluster): string[]
}
