import type { Cluster } from '../cluster/cluster.ts'
import type { Federation } from '../federation/federation.ts'
import { type Membership, membershipEntityId, operationOf } from '../membership/membership.ts'
import { flowOfMembership } from '../membership/membership-states.ts'
import type { Ports } from '../ports.ts'
import type { Flow, Operation } from './operation.ts'
import { membershipKey, type Target } from './subjects.ts'

/** An operation under way, and where it runs. */
export type RunningOperation = { flow: Flow; projectId: string; entityId: string; operation: Operation }

/** The attempt that runs. */
export const targetOf = ({ projectId, entityId, operation }: RunningOperation): Target => ({
  projectId,
  entityId,
  operationId: operation.id,
  attempt: operation.attempt,
})

type Place = { kind: 'cluster' | 'federation' | 'membership'; projectId: string; entityId: string }
type Entity =
  | { kind: 'cluster'; entity: Cluster }
  | { kind: 'federation'; entity: Federation }
  | { kind: 'membership'; entity: Membership }

/** Reads an entity by kind and flow-input id; undefined when it is gone. */
export const readEntity = async (ports: Pick<Ports, 'stores'>, place: Place): Promise<Entity | undefined> => {
  const { clusters, federations, memberships } = ports.stores
  const { kind, projectId, entityId } = place
  if (kind === 'cluster') {
    const entity = await clusters.get({ projectId, id: entityId })
    return entity && { kind, entity }
  }
  if (kind === 'federation') {
    const entity = await federations.get({ projectId, id: entityId })
    return entity && { kind, entity }
  }
  const entity = await memberships.get(membershipKey({ projectId, entityId }))
  return entity && { kind, entity }
}

type Owned<K extends string> = { projectId: string; id: string; operation: Operation<K> | null }

const ownOperation = <K extends string>(
  { projectId, id: entityId, operation }: Owned<K>,
  flowOf: (kind: K) => Flow,
): RunningOperation | undefined =>
  operation === null ? undefined : { flow: flowOf(operation.kind), projectId, entityId, operation }

/** The operation that runs on an entity; undefined when none does. */
export const runningOperation = ({ kind, entity }: Entity): RunningOperation | undefined => {
  if (kind === 'cluster') return ownOperation(entity, (of) => `cluster-${of}`)
  if (kind === 'federation') return ownOperation(entity, (of) => `federation-${of}`)
  const operation = operationOf(entity)
  return operation === null
    ? undefined
    : {
        flow: flowOfMembership(operation.kind),
        projectId: entity.projectId,
        entityId: membershipEntityId(entity),
        operation,
      }
}
