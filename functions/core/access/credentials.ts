import type { CredentialKey } from '../../store/credential.store.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Federation } from '../federation/federation.ts'
import type { Membership } from '../membership/membership.ts'

type ClusterRef = Pick<Cluster, 'projectId' | 'id'>
type MembershipRef = Pick<Membership, 'projectId' | 'federationId' | 'clusterId'>

const ofCluster = (cluster: ClusterRef, purpose: string): CredentialKey => ({
  projectId: cluster.projectId,
  owner: `cluster/${cluster.id}`,
  purpose,
})

const ofMembership = (membership: MembershipRef, purpose: string): CredentialKey => ({
  projectId: membership.projectId,
  owner: `membership/${membership.federationId}/${membership.clusterId}`,
  purpose,
})

/** The credential that fedplane uses for a cluster. */
export const kubeconfigKey = (cluster: ClusterRef): CredentialKey => ofCluster(cluster, 'kubeconfig')

/** A new credential for a cluster, brought by an update, until that has proved it. */
export const candidateKey = (cluster: ClusterRef): CredentialKey => ofCluster(cluster, 'kubeconfig-candidate')

/** What an update found with the candidate (`ClusterCandidate` as JSON): becomes the cluster's when the update succeeds. */
export const candidateFactsKey = (cluster: ClusterRef): CredentialKey => ofCluster(cluster, 'candidate-facts')

/** What a cluster's machines, and what makes them, use in the cloud (`CloudCredential` as JSON). */
export const cloudKey = (cluster: ClusterRef): CredentialKey => ofCluster(cluster, 'cloud')

/** A new one, brought by the task `rotate-credential`, until the driver has put it in place. */
export const cloudCandidateKey = (cluster: ClusterRef): CredentialKey => ofCluster(cluster, 'cloud-candidate')

/** What renews and revokes them, and their ids (`Grants` as JSON): drivers never get it. */
export const cloudGrantsKey = (cluster: ClusterRef): CredentialKey => ofCluster(cluster, 'cloud-grants')

/** The credential that a control plane uses for a member. */
export const memberTokenKey = (membership: MembershipRef): CredentialKey => ofMembership(membership, 'member-token')

/** A renewed credential until the control plane has it. */
export const nextMemberTokenKey = (membership: MembershipRef): CredentialKey =>
  ofMembership(membership, 'member-token-next')

/** A document that a federation driver keeps under seal, by the name that the driver gave it. */
export const driverSecretKey = (
  { projectId, id }: Pick<Federation, 'projectId' | 'id'>,
  name: string,
): CredentialKey => ({
  projectId,
  owner: `federation/${id}`,
  purpose: `driver-${name}`,
})
