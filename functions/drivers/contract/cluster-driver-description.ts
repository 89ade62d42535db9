import type { AuthorityKeys, Cluster } from '../../core/cluster/cluster.ts'
import type { ClusterTask, ClusterTaskKind } from '../../core/cluster/cluster-task.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import type { NETWORK_DRIVERS } from '../../core/cluster/magnum-attributes.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import type { DriverId } from '../../core/values/ids.ts'

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
  /** Clusters are made through another registered cluster, a management cluster: `context.management()` works. */
  needsManagement: boolean
}

/** A public template that stands for clusters which need none (magnum-rest.md 4.1: `cluster_template_id` is mandatory). */
export type BuiltinTemplate = {
  /** Constant UUID. */
  id: string
  name: string
}

/** One text of a registration. Null and `""` are as absent. */
export type RegistrationField = {
  /** In snake_case, as callers write it. */
  name: string
  required: boolean
  pattern: RegExp
  /** What it must be, to complete a sentence that begins with its name: `must be an AWS Region, for example "eu-central-1"`. */
  rule: string
  /** Sealed as part of the cluster's credential (JSON, by name), and never shown. Others are in `driverState`, and every read shows them. */
  confidential: boolean
  /** Name of another field, without which this one means nothing. */
  goesWith?: string
}

/** How `POST /v1/clusters` names a cluster that is there already, when it is not by a kubeconfig. */
export type Registration = {
  /**
   * Attribute of the request: an object of the fields. What is not confidential is kept in `driverState` under the same key; the API's list
   * of such attributes is `REGISTRATION_ATTRIBUTES`.
   */
  attribute: string
  fields: readonly RegistrationField[]
  /** What to do instead of things that such clusters do not have: whole sentences. */
  advice: {
    /** Of `PATCH replace /kubeconfig`. */
    credential: string
    /** Of having a certificate signed. */
    certificate: string
  }
}

export type ManagementField = RegistrationField & {
  /** May change while clusters are made through it, since nothing that is there depends on it: limits, for example. Default: false. */
  isChangeable?: boolean
}

/** What a driver with `needsManagement` asks of whoever registers a management cluster for it. */
export type ManagementDescription = {
  /** Of the request's object `management`, beside `driver` and `default`. None is confidential. */
  fields: readonly ManagementField[]
}

/** The management cluster that was chosen for a cluster. */
export type PlannedManagement = {
  id: string
  name: string
  /** The registration's fields, by name; those that were not given are absent. */
  options: Readonly<Record<string, string>>
}

/** A cluster as it is or would be, for a check before anything is written. */
export type PlannedCluster = {
  cluster: Cluster
  /** Null for drivers that make no nodes. During an upgrade the new one. */
  template: ClusterTemplate | null
  nodeGroups: readonly NodeGroup[]
  /** Null: the cluster is to be created. */
  task: ClusterTask | null
  /** Null for drivers without `needsManagement`. */
  management: PlannedManagement | null
}

/** A call of the cloud's API, as far as it says which cluster it is about. */
export type CloudCall = {
  /** As `nameOf` has it. */
  name: string
  /** Whether a cluster of that name is the one. @param ownAccount of the installation */
  isOf(cluster: Pick<Cluster, 'driverState'>, ownAccount: string): boolean
}

/** Calls of AWS's API that change clusters, as CloudTrail tells EventBridge of them: rules are made of it. */
export type CloudEvents = {
  /** `source` and `detail.eventSource` of the events. */
  source: string
  eventSource: string
  /** `detail.eventName`. */
  calls: readonly string[]
  /** What such events call a cluster, with the driver's id in front so that no other driver's is the same. Pure. */
  nameOf(cluster: Pick<Cluster, 'driverState'>): string | undefined
  /** What an event says; undefined for one of others, or that names no cluster. Pure. */
  parse(event: unknown): CloudCall | undefined
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
  /** Of drivers that register clusters in a way of their own; such a driver takes no kubeconfig, and makes no nodes. */
  registration?: Registration
  /** Of drivers with `needsManagement`, and of no other. */
  management?: ManagementDescription
  /**
   * True for clusters whose machines are made in the cloud of the caller's project: such a cluster gets an application credential of Keystone, which
   * `context.cloudCredential()` gives. Default: never. Pure.
   */
  needsCloudCredential?(plan: Pick<PlannedCluster, 'cluster' | 'template' | 'management'>): boolean
  /** Keys of the authorities that are made for its clusters. Default: `ec`. */
  authorityKeys?: AuthorityKeys
  /** What `network_driver` of a template is when none is given. Default: Magnum's, which is `flannel`. */
  defaultNetworkDriver?: (typeof NETWORK_DRIVERS)[number]
  /**
   * Why a cluster of it can be neither host nor member of a federation, although it has a Kubernetes API: a whole sentence that says so and what to do.
   * Default: nothing is against it. Pure.
   */
  federationFault?(cluster: Cluster): string | undefined
  /** Events of the cloud that have its clusters observed at once. Default: there are none. */
  cloud?: CloudEvents
  /** Kinds of change that it can make: `phases.update` has a plan for each of them and no other. Other kinds are refused with 400. */
  updates: readonly ClusterTaskKind[]
  /** Checks a request before anything is written; one sentence per fault, none when it is good. Pure. */
  check(plan: PlannedCluster): string[]
}
