import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { ObjectRef } from '../../../functions/core/values/object-ref.ts'
import type { ClusterAccess } from '../../../functions/drivers/contract/cluster-access.ts'
import type { FederationContext, MemberContext } from '../../../functions/drivers/contract/federation-driver.ts'
import type { Connect, KubernetesClient } from '../../../functions/kubernetes/client.ts'
import type { CallBudget } from './call-budget.ts'
import { labelled, resourceOf } from './objects.ts'
import { connect, type TestCluster } from './test-cluster.ts'

export type LabCluster = {
  cluster: Cluster
  /** A access whose calls count. */
  access(budget?: CallBudget): ClusterAccess
}

/** Where the contract suite of federation drivers runs: one host and at least two members. */
export type FederationLab = {
  host: LabCluster
  members: readonly [LabCluster, LabCluster, ...LabCluster[]]
  connect: Connect
  /** What still belongs to a federation, anywhere; empty when nothing does. */
  remains(federationId: string): Promise<string[]>
  /**
   * Has the federation bring something into a member that is ready. Needed for drivers with the capability `workloads`; `remove` takes it out of the
   * member, if it is there.
   */
  deploy?(context: MemberContext): Promise<{ isThere(): Promise<boolean>; remove(): Promise<void> }>
  /** Asks the control plane who the bearer of a kubeconfig is. Absent where there is none to ask. */
  whoAmI?(kubeconfig: string): Promise<string>
  /** Which of `read`, `write` (in `default`), the same elsewhere, `secrets` and `rights` (in `default`) the control plane allows the bearer of a kubeconfig. */
  may?(kubeconfig: string): Promise<string>
  /** Puts an object of another owner in the place of one of ours, in host or last member. Absent for drivers without Kubernetes. */
  occupy?(ref: ObjectRef, context: FederationContext): Promise<Occupied>
  /** Deletes what was made, in host or last member, behind everybody's back. Absent for drivers without Kubernetes. */
  destroy?(ref: ObjectRef): Promise<void>
}

/** An object of somebody else in the place of one of ours. */
export type Occupied = { isIntact(): Promise<boolean>; remove(): Promise<void> }

/** Makes an object of that name which somebody else made. */
const occupyIn = async (client: KubernetesClient, ref: ObjectRef): Promise<Occupied> => {
  const resource = resourceOf(ref)
  const { uid } = (await client.create(resource, foreign(ref))).metadata
  return {
    isIntact: async () => (await client.get(resource, ref.name))?.metadata.uid === uid,
    remove: async () => void (await client.delete(resource, ref.name)),
  }
}

/** A lab of real or simulated API servers. */
export const kubernetesLab = (
  host: TestCluster,
  members: readonly [TestCluster, TestCluster, ...TestCluster[]],
): FederationLab => {
  const clusters = [host, ...members]
  return {
    host,
    members,
    connect,
    remains: async (federationId) => {
      const found = await Promise.all(clusters.map(({ admin }) => labelled(admin, federationId)))
      return found.flatMap((objects, index) => objects.map((object) => `${object} in ${clusters[index]?.cluster.name}`))
    },
    destroy: async (ref) => {
      const at = ref.where === 'host' ? host : (members.at(-1) ?? members[0])
      await at.admin.delete(resourceOf(ref), ref.name)
    },
    occupy: (ref) => occupyIn((ref.where === 'host' ? host : (members.at(-1) ?? members[0])).admin, ref),
  }
}

/** An object of that name which somebody else made. */
const foreign = ({ apiVersion, kind, namespace, name }: ObjectRef) => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === '' ? {} : { namespace }), labels: { 'made-by': 'somebody-else' } },
  ...(kind === 'ClusterRoleBinding'
    ? { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }, subjects: [] }
    : {}),
  ...(kind === 'ClusterProfile' ? { spec: { clusterManager: { name: 'somebody-else' } } } : {}),
})
