import type { AuthorityType } from '../../domain/certificate-authority.ts'
import type { Cluster, ClusterEndpoint, ClusterIdentity, ClusterObservation } from '../../domain/cluster.ts'
import type { ClusterTask, ClusterTaskKind } from '../../domain/cluster-task.ts'
import type { ClusterTemplate } from '../../domain/cluster-template.ts'
import type { NodeGroup } from '../../domain/node-group.ts'
import type { Secret } from '../../domain/secret.ts'
import type { Connect, Connection } from '../../kubernetes/client.ts'
import type { ClusterDriverDescription } from './cluster-driver-description.ts'
import type { Phase, StepResult } from './phase.ts'

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
  /** An authority of the cluster, PEM; during its rotation (not its undo) the new one. Undefined where fedplane holds none. */
  authority(type: AuthorityType): Promise<{ certificatePem: string; privateKey: Secret } | undefined>
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
  connection(cluster: Cluster, credential: Secret | undefined): Promise<Connection>
  /**
   * Where the API server is by now, asked of somebody else than the cluster: for drivers whose clusters may get another address or
   * authority. Called when the stored endpoint no longer leads to the cluster.
   *
   * @throws errors of whoever the driver asks
   */
  locate?(cluster: Cluster, credential: Secret | undefined): Promise<ClusterEndpoint>
  /** One look at its health; faults of the cluster are in the answer, not thrown. */
  observe(context: ClusterContext): Promise<ClusterObservation>
}

export type ClusterPhase = Omit<Phase<ClusterContext>, 'ensure' | 'undo'> & {
  ensure(context: ClusterContext): Promise<ClusterStepResult>
  undo?(context: ClusterContext): Promise<ClusterStepResult>
}
