import type { Cluster, ClusterEndpoint, ClusterIdentity, ClusterObservation } from '../../domain/cluster.ts'
import type { DriverId } from '../../domain/driver-id.ts'
import type { Secret } from '../../domain/secret.ts'
import type { Connect, Connection } from '../../kubernetes/client.ts'
import type { Phase, StepResult } from './phase.ts'

/** Version of this contract; `docs/drivers/cluster-contract.md` is its table. */
export const CLUSTER_CONTRACT = 1

/** What a cluster driver can do, as data: core code asks these, never the driver's name. */
export type ClusterCapabilities = {
  /** A kubeconfig is given at registration. */
  needsKubeconfig: boolean
  /** `connection` works. */
  kubernetesApi: boolean
  /** Node counts can be changed. */
  resize: boolean
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
}

export type ClusterStepResult = StepResult & {
  endpoint?: ClusterEndpoint
  identity?: ClusterIdentity
  observation?: ClusterObservation
}

/** A kind of cluster: how it is made, watched and reached. Rules as for federation drivers. */
export type ClusterDriver = {
  id: DriverId
  contract: typeof CLUSTER_CONTRACT
  description: string
  capabilities: ClusterCapabilities
  phases: {
    create: readonly ClusterPhase[]
    update: readonly ClusterPhase[]
    delete: readonly ClusterPhase[]
  }
  /** How to talk to it. @throws CredentialMissing */
  connection(cluster: Cluster, credential: Secret | undefined): Connection
  /** One look at its health; faults of the cluster are in the answer, not thrown. */
  observe(context: ClusterContext): Promise<ClusterObservation>
}

export type ClusterPhase = Omit<Phase<ClusterContext>, 'ensure'> & {
  ensure(context: ClusterContext): Promise<ClusterStepResult>
}
