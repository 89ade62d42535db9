import type { MembershipKey } from '../../store/federation.store.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { OperationSuperseded } from '../errors.ts'
import type { Federation } from '../federation/federation.ts'
import { type Membership, operationOf } from '../membership/membership.ts'
import type { Ports } from '../ports.ts'
import type { FlowInput, Operation } from './operation.ts'

/**
 * Which attempt of which operation of which entity: the part of a flow's input that names its subject. The attempt counts: a step of an
 * execution that was stopped may still be under way when the next attempt works.
 */
export type Target = Pick<FlowInput, 'projectId' | 'entityId' | 'operationId' | 'attempt'>

/** An entity while an operation runs on it. */
export type WithOperation<E extends { operation: Operation | null }> = E & { operation: NonNullable<E['operation']> }

/** A membership while an operation of this kind runs on it. */
export type MembershipUnder = Extract<Membership, { operation: unknown }> & { operation: Operation }

const superseded = ({ entityId, operationId, attempt }: Target): OperationSuperseded =>
  new OperationSuperseded(
    `Attempt ${attempt} of operation ${operationId} no longer runs on ${entityId}; nothing was changed.`,
  )

const runs = (operation: Operation | null | undefined, { operationId, attempt }: Target): boolean =>
  operation?.id === operationId && operation.attempt === attempt

/** The cluster, if the operation still runs on it. @throws OperationSuperseded */
export const openCluster = async (ports: Pick<Ports, 'stores'>, target: Target): Promise<WithOperation<Cluster>> => {
  const cluster = await ports.stores.clusters.get({ projectId: target.projectId, id: target.entityId })
  if (!runs(cluster?.operation, target)) throw superseded(target)
  return cluster as WithOperation<Cluster>
}

/** The federation, if the operation still runs on it. @throws OperationSuperseded */
export const openFederation = async (
  ports: Pick<Ports, 'stores'>,
  target: Target,
): Promise<WithOperation<Federation>> => {
  const federation = await ports.stores.federations.get({ projectId: target.projectId, id: target.entityId })
  if (!runs(federation?.operation, target)) throw superseded(target)
  return federation as WithOperation<Federation>
}

/** `<federation id>:<cluster id>` taken apart. */
export const membershipKey = ({ projectId, entityId }: Pick<Target, 'projectId' | 'entityId'>): MembershipKey => {
  const [federationId = '', clusterId = ''] = entityId.split(':')
  return { projectId, federationId, clusterId }
}

/** The membership, if the operation still runs on it. @throws OperationSuperseded */
export const openMembership = async (ports: Pick<Ports, 'stores'>, target: Target): Promise<MembershipUnder> => {
  const membership = await ports.stores.memberships.get(membershipKey(target))
  if (membership === undefined || !runs(operationOf(membership), target)) throw superseded(target)
  return membership as MembershipUnder
}
