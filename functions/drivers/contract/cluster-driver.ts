import type {
  AuthorityType,
  Cluster,
  ClusterEndpoint,
  ClusterIdentity,
  ClusterObservation,
} from '../../core/cluster/cluster.ts'
import type { ClusterTask, ClusterTaskKind } from '../../core/cluster/cluster-task.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import type { Secret } from '../../core/values/secret.ts'
import type { Connect, Connection } from '../../kubernetes/client.ts'
import type { ClusterAccess } from './cluster-access.ts'
import type { ClusterDriverDescription } from './cluster-driver-description.ts'
import type { Finding } from './federation-driver.ts'
import type { Phase, StepResult } from './phase.ts'

/** A way to the API of a management cluster, and what was said of it when it was registered. */
export type ManagementAccess = ClusterAccess & {
  /** By name of the description's `management.fields`; those that were not given are absent. */
  options: Readonly<Record<string, string>>
}

/** Reads an authority of the cluster, PEM; undefined where fedplane holds none. */
export type ReadAuthority = (type: AuthorityType) => Promise<{ certificatePem: string; privateKey: Secret } | undefined>

/** What an application credential for a cluster is, JSON in a `Secret` (Keystone, `v3applicationcredential`). */
export type CloudCredential = {
  authUrl: string
  /** Null: the only one there is. */
  region: string | null
  applicationCredentialId: string
  applicationCredentialSecret: string
  /** PEM of the authorities that the cloud's endpoints are verified with; null for those that everybody trusts. */
  caPem: string | null
}

export type ClusterContext = {
  cluster: Cluster
  /** The stored credential of this cluster; during an update that brings a new one, the new one. */
  credential(): Promise<Secret | undefined>
  connect: Connect
  /** Claims the `kube-system` uid in the project. @throws ClusterAlreadyRegistered naming the other cluster */
  claimIdentity(uid: string): Promise<void>
  /** ISO-8601 UTC. */
  now(): string
  /** What is to be done; null in create and delete. */
  task: ClusterTask | null
  /**
   * As they shall be when the task is done, by creation, whatever waits behind it; during `node-group-delete` with the one that goes.
   * While a task is undone: as they were before it. Empty for drivers that make no nodes.
   */
  nodeGroups: readonly NodeGroup[]
  /** The cluster's template, during an upgrade (not its undo) the new one; null for drivers that make no nodes, or when it is gone. */
  template(): Promise<ClusterTemplate | null>
  /** During the rotation of the authorities (not its undo) the new ones. */
  authority: ReadAuthority
  /**
   * The management cluster that the cluster is made through. Gives the same access each time; whoever made the context closes it.
   *
   * @throws ManagementMissing when the driver needs none, or it is no longer registered
   */
  management(): Promise<ManagementAccess>
  /** `CloudCredential` as JSON; during `rotate-credential` (not its undo) the new one. Undefined where the description asks for none. */
  cloudCredential(): Promise<Secret | undefined>
}

/** What a driver tells of one node group; absent keys stay as they are. */
export type NodeGroupResult = {
  id: string
  /** Nodes that there are, when that is another number than was asked for. Counts only when the phase is done. */
  nodeCount?: number
  nodeAddresses?: readonly string[]
  version?: string
}

export type ClusterStepResult = StepResult & {
  endpoint?: ClusterEndpoint
  identity?: ClusterIdentity
  observation?: ClusterObservation
  nodeGroups?: readonly NodeGroupResult[]
}

/** One observation of a cluster. */
export type ClusterProbe = ClusterObservation & {
  /** Where nodes come and go without fedplane, by an autoscaler for example: what there is by now. Taken while no task runs. */
  nodeGroups?: readonly NodeGroupResult[]
  /** True when a cluster in CREATE_FAILED has come up after all: it is created again, and whatever is there counts. */
  isComplete?: boolean
}

/** A kind of cluster: how it is made, watched and reached. Rules as for federation drivers. */
export type ClusterDriver = ClusterDriverDescription & {
  phases: {
    create: readonly ClusterPhase[]
    /** By kind of change: those that the description names in `updates`. */
    update: Readonly<Partial<Record<ClusterTaskKind, readonly ClusterPhase[]>>>
    delete: readonly ClusterPhase[]
  }
  /**
   * How to talk to it, for some minutes at least: what the driver makes for each use may expire after that.
   *
   * @throws CredentialMissing when there is none and the driver needs one, and errors of whoever the driver asks
   */
  connection(cluster: Cluster, credential: Secret | undefined, authority: ReadAuthority): Promise<Connection>
  /**
   * Where the API server is by now, asked of somebody else than the cluster: for drivers whose clusters may get another address or
   * authority. Called when the stored endpoint no longer leads to the cluster.
   *
   * @throws errors of whoever the driver asks
   */
  locate?(cluster: Cluster, credential: Secret | undefined): Promise<ClusterEndpoint>
  /** One observation of its health; faults of the cluster are in the answer, not thrown. */
  observe(context: ClusterContext): Promise<ClusterProbe>
  /**
   * Asks whoever makes the cluster whether he takes it, or the change, before anything is written (a dry run). Drivers without it can only `check`.
   *
   * @throws ChangeRefused with his words, and errors of reaching him
   */
  preview?(context: ClusterContext): Promise<void>
  /** Of drivers with `needsManagement`: what keeps a cluster from being a management cluster; none when it is good. Asked when it is registered. */
  checkManagement?(access: ManagementAccess): Promise<Finding[]>
}

export type ClusterPhase = Omit<Phase<ClusterContext>, 'ensure' | 'undo'> & {
  ensure(context: ClusterContext): Promise<ClusterStepResult>
  undo?(context: ClusterContext): Promise<ClusterStepResult>
}
