import type { Write } from '../../store/write.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { InvalidRequest, StateConflict } from '../errors.ts'
import { ownerEvent } from '../operation/events.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { TablePorts } from '../ports.ts'
import { quote } from '../values/wording.ts'
import { afterGrantEnd } from './end-uses.ts'
import type { Grant, Receiver } from './grant.ts'

/** What a grant is to say. */
export type DesiredGrant = Pick<Grant, 'receiver' | 'actions' | 'rights' | 'expiresAt'>

const nameOfReceiver = (receiver: Receiver): string =>
  'projectId' in receiver ? `project ${receiver.projectId}` : `federation ${receiver.federationId}`

/** What a grant says, in words. */
const describe = ({ actions, rights, receiver, expiresAt }: DesiredGrant): string =>
  `${nameOfReceiver(receiver)} may ${actions.join(' and ')} with rights up to ${quote(rights)}${expiresAt === null ? '' : ` until ${expiresAt}`}`

const requireSense = ({ projectId, status, name, id }: Cluster, { receiver, expiresAt }: DesiredGrant, now: string) => {
  if ('projectId' in receiver && receiver.projectId === projectId) {
    throw new InvalidRequest('"project_id" is the project of the cluster, which needs no grant. Name another project.')
  }
  if (expiresAt !== null && expiresAt <= now) {
    throw new InvalidRequest(`"expires_at" is ${expiresAt}, which is over. Give a time in the future, or none.`)
  }
  if (status.startsWith('DELETE_')) {
    throw new StateConflict(`Cluster ${quote(name)} (${id}) is ${status}; no grant is given for it.`)
  }
}

/**
 * Gives another project, or a federation, the use of a cluster.
 *
 * @param remember more writes for the same transaction
 * @throws InvalidRequest, StateConflict, ProjectLimitReached
 */
export const giveGrant = (
  ports: TablePorts,
  read: () => Promise<Cluster>,
  desired: DesiredGrant,
  { userId, remember }: { userId: string; remember(id: string): Write[] },
): Promise<Grant> =>
  retryOnConflict(async () => {
    const cluster = await read()
    const createdAt = ports.clock.now().toISOString()
    requireSense(cluster, desired, createdAt)
    const grant: Grant = {
      ...desired,
      id: ports.newId(),
      projectId: cluster.projectId,
      clusterId: cluster.id,
      clusterName: cluster.name,
      userId,
      revokedAt: null,
      createdAt,
      revision: 1,
      uses: [],
    }
    await ports.stores.commit([
      ports.stores.grants.insert(grant),
      // Raises its revision, so that of a grant and a deletion at once one is decided anew.
      ports.stores.clusters.change(cluster, {}),
      ownerEvent(ports, 'cluster', cluster, {
        action: 'update',
        notify: false,
        outcome: 'success',
        reason: 'Granted',
        message: `Grant ${grant.id}: ${describe(desired)}.`,
      }),
      ...remember(grant.id),
    ])
    return grant
  })

/**
 * Ends a grant: from now on nothing new begins by it, and what uses the cluster by it begins to leave. Asking again is no error.
 *
 * @param read finds the grant with its cluster, and asks whether the caller may
 */
export const revokeGrant = async (
  ports: TablePorts,
  read: () => Promise<{ grant: Grant; cluster: Cluster }>,
): Promise<void> => {
  const revoked = await retryOnConflict(async () => {
    const { grant, cluster } = await read()
    if (grant.revokedAt !== null) return grant
    const { stores, clock } = ports
    await stores.commit([
      stores.grants.revoke(grant, clock.now().toISOString()),
      stores.clusters.change(cluster, {}),
      ownerEvent(ports, 'cluster', cluster, {
        action: 'update',
        notify: false,
        outcome: 'success',
        reason: 'GrantRevoked',
        message: `Grant ${grant.id} was revoked: ${describe(grant)}.`,
      }),
    ])
    return grant
  })
  await afterGrantEnd(ports, revoked)
}
