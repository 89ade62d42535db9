import { rightsTaken } from '../../drivers/contract/federation-driver-description.ts'
import type { Leftover } from '../../store/inventory.store.ts'
import type { Write } from '../../store/write.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Federation } from '../federation/federation.ts'
import { memberClusterKey } from '../grant/loans.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { TablePorts } from '../ports.ts'
import type { ObjectRef } from '../values/object-ref.ts'
import type { Membership } from './membership.ts'

/**
 * What an unjoin that was forced left in a cluster is remembered, until the health sweep has removed it, the cluster joins the same federation again, or is
 * deregistered.
 */

/** A namespace alone lets nobody in. */
const CREDENTIALS = ['ServiceAccount', 'Secret', 'ClusterRoleBinding', 'RoleBinding']

/** Where a member's leftover is found. */
const leftoverKeyOf = (membership: Pick<Membership, 'projectId' | 'federationId' | 'clusterId' | 'loan'>) => ({
  projectId: memberClusterKey(membership).projectId,
  clusterId: membership.clusterId,
  federationId: membership.federationId,
})

type NotePorts = Pick<TablePorts, 'stores' | 'clock' | 'drivers'>

const rightsOf = ({ drivers }: NotePorts, federation: Federation | undefined): string | null => {
  const driver = drivers.federation.list().find(({ id }) => id === federation?.driver)
  if (driver === undefined || federation === undefined) return null
  return rightsTaken(driver, federation.properties).member
}

/** Of a cluster that is registered and can be talked to; else nobody will ever remove anything. */
const hasApi = ({ drivers }: NotePorts, cluster: Cluster | undefined): boolean =>
  cluster !== undefined &&
  drivers.cluster.list().some(({ id, capabilities }) => id === cluster.driver && capabilities.kubernetesApi)

/** For the commit that ends a membership. */
export const noteLeft = async (
  ports: NotePorts,
  { federation, membership }: { federation: Federation | undefined; membership: Membership },
  leftovers: readonly ObjectRef[],
): Promise<Write[]> => {
  const objects = leftovers.filter(({ where, uid }) => where === 'member' && uid !== '')
  if (!objects.some(({ kind }) => CREDENTIALS.includes(kind))) return []
  const { inventory, clusters } = ports.stores
  if (!hasApi(ports, await clusters.get(memberClusterKey(membership)))) return []
  const key = leftoverKeyOf(membership)
  const now = ports.clock.now().toISOString()
  const next = {
    ...key,
    federationProjectId: membership.projectId,
    memberName: membership.memberName,
    rights: rightsOf(ports, federation),
    objects,
    createdAt: now,
    dueAt: now,
  }
  return [inventory.putLeftover(await inventory.getLeftover(key), next)]
}

/**
 * A cluster that joins again: what is left there becomes the federation's again, and is removed by the next unjoin. Call it before anything is made.
 *
 * @returns false while somebody removes it: look again
 */
export const takeOverLeft = async (
  { stores, clock }: Pick<TablePorts, 'stores' | 'clock'>,
  membership: Membership,
): Promise<boolean> => {
  const left = await stores.inventory.getLeftover(leftoverKeyOf(membership))
  if (left === undefined) return true
  if (left.dueAt > clock.now().toISOString()) return false
  await stores.commit([stores.inventory.removeLeftover(left)])
  return true
}

/** Of a cluster that is deregistered. */
export const forgetLeftIn = async (
  { stores }: Pick<TablePorts, 'stores'>,
  cluster: { projectId: string; id: string },
): Promise<void> => {
  const isIn = (left: Leftover) => left.projectId === cluster.projectId && left.clusterId === cluster.id
  for (const left of (await stores.inventory.leftovers(cluster.projectId)).filter(isIn)) {
    await retryOnConflict(async () => {
      const now = await stores.inventory.getLeftover(left)
      if (now !== undefined) await stores.commit([stores.inventory.removeLeftover(now)])
    })
  }
}
