import type { CloudGrantRef } from '../../cloud/cloud.ts'
import { CloudGrantLeft } from '../../cloud/errors.ts'
import {
  cloudOf,
  droppedCandidate,
  type GrantChange,
  grantCandidate,
  grantRefOf,
  promotedGrant,
  readGrants,
  retiredGrants,
  withoutFormer,
} from '../../core/cluster/cloud-grants.ts'
import { renewalPutOff } from '../../core/cluster/cloud-ownership.ts'
import type { Cluster, ClusterChange } from '../../core/cluster/cluster.ts'
import { OperationSuperseded } from '../../core/errors.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { openCluster, type Target, type WithOperation } from '../../core/operation/subjects.ts'
import type { AppError } from '../../core/values/app-error.ts'
import { type Condition, withCondition } from '../../core/values/status.ts'
import { IdentityProviderUnavailable } from '../../identity/errors.ts'
import type { BoundPhase } from '../loop.ts'
import type { StepPorts } from '../step.ts'

/** Condition of a cluster that has application credentials of a user: reasons `Renewed`, `NotRenewed`. */
const RENEWED = 'CloudCredentialRenewed'

/** Some calls of Keystone, with tries. */
const DEADLINE_SECONDS = 120

const DONE = { done: true }

type Read = WithOperation<Cluster>

/** Commits a change with one of the cluster; nothing when there is none. @throws OperationSuperseded */
const commit = (ports: StepPorts, target: Target, decide: (cluster: Read) => Promise<GrantChange | null>) =>
  retryOnConflict(async () => {
    const cluster = await openCluster(ports, target)
    const decided = await decide(cluster)
    if (decided === null) return
    await ports.stores.commit([ports.stores.clusters.change(cluster, decided.change), ...decided.writes])
  })

/** False once the new pair is in force: a step that is run again after that makes no other. */
const isDue = ({ clock }: StepPorts, { cloud }: Cluster): boolean =>
  cloud !== undefined && cloud !== null && cloud.renewAfter <= clock.now().toISOString()

/** A candidate is there when a user brought it; else the unrestricted credential makes one when it is time. */
const renew = async (ports: StepPorts, target: Target): Promise<void> => {
  const cluster = await openCluster(ports, target)
  const { current, candidate } = await readGrants(ports, cluster)
  if (candidate !== null || current === null || !isDue(ports, cluster)) return
  const { id: clusterId, projectId, operation } = cluster
  // The same at each try: what the lost answer of one left behind is replaced.
  const suffix = operation.id.slice(-8)
  const grant = await cloudOf(ports).renew(current, { projectId, clusterId, suffix })
  try {
    await commit(ports, target, (read) => grantCandidate(ports, read, grant))
  } catch (error) {
    // Nobody knows of it then; after other faults the next try replaces it.
    if (error instanceof OperationSuperseded) await cloudOf(ports).revoke(grantRefOf(grant))
    throw error
  }
}

const renewed = (
  cluster: Cluster,
  now: string,
  said: Pick<Condition, 'status' | 'reason' | 'message'>,
): ClusterChange => ({
  conditions: withCondition(cluster.conditions, {
    type: RENEWED,
    observedRevision: cluster.revision + 1,
    changedAt: now,
    ...said,
  }),
})

/** The candidate in force; without one the renewal that was due is put off. */
const adopted = async (ports: StepPorts, cluster: Read): Promise<GrantChange | null> => {
  const now = ports.clock.now().toISOString()
  const promoted = await promotedGrant(ports, cluster)
  if (promoted !== null) {
    const { userId = '' } = promoted.change.cloud ?? {}
    const message = `The cluster uses application credentials of user ${userId}.`
    const change = { ...promoted.change, ...renewed(cluster, now, { status: 'True', reason: 'Renewed', message }) }
    return { ...promoted, change }
  }
  if (!cluster.cloud || !isDue(ports, cluster)) return null
  const message = `The application credentials of user ${cluster.cloud.userId} were due for renewal, which failed: the cluster's events say why. A member of the project replaces them with PATCH /v1/credentials/${cluster.id}.`
  const said = { status: 'False', reason: 'NotRenewed', message } as const
  return { change: { ...renewalPutOff(ports, cluster), ...renewed(cluster, now, said) }, writes: [] }
}

/** What came of revoking one: nothing is left to do, it is left to others, or it may be done later. */
const outcomeOf = async (ports: StepPorts, grant: CloudGrantRef): Promise<null | AppError> => {
  try {
    await cloudOf(ports).revoke(grant)
    return null
  } catch (error) {
    if (error instanceof CloudGrantLeft || error instanceof IdentityProviderUnavailable) return error
    throw error
  }
}

/**
 * Revokes all that are no longer in force, and forgets each of which nothing is left to do. While Keystone can't be asked about one, those
 * that it does not let us revoke are kept too, so that the last try names them all.
 *
 * @throws CloudGrantLeft, IdentityProviderUnavailable
 */
const revoke = async (ports: StepPorts, target: Target): Promise<void> => {
  const forget = ({ restrictedId }: CloudGrantRef): Promise<void> =>
    commit(ports, target, async (cluster) => ({
      change: {},
      writes: await withoutFormer(ports, cluster, restrictedId),
    }))
  const { former } = await readGrants(ports, await openCluster(ports, target))
  const faults: { grant: CloudGrantRef; error: AppError }[] = []
  for (const grant of former) {
    const error = await outcomeOf(ports, grant)
    if (error === null) await forget(grant)
    else faults.push({ grant, error })
  }
  if (faults.length === 0) return
  const message = faults.map(({ error }) => error.message).join(' ')
  if (faults.some(({ error }) => error.retryable)) throw new IdentityProviderUnavailable(message)
  for (const { grant } of faults) await forget(grant)
  throw new CloudGrantLeft(message)
}

const rotates = ({ task, cloud }: Cluster): boolean =>
  task?.kind === 'rotate-credential' && cloud !== undefined && cloud !== null

/**
 * What comes before the driver's phases of `rotate-credential`: another pair of application credentials, unless the request brought them. One
 * that can't be had is a warning: the driver finds the present one then.
 */
export const phasesBeforeRotation = (ports: StepPorts, target: Target, cluster: Cluster): BoundPhase[] =>
  rotates(cluster)
    ? [
        {
          id: 'cloud-renew',
          title: 'renewal of the application credentials',
          deadlineSeconds: DEADLINE_SECONDS,
          isLenient: true,
          ensure: async () => {
            await renew(ports, target)
            return DONE
          },
          undo: async () => {
            await commit(ports, target, (read) => droppedCandidate(ports, read))
            return DONE
          },
        },
      ]
    : []

/** What comes after them: the new ones are in force, the former ones are revoked. One that can't be is a warning. */
export const phasesAfterRotation = (ports: StepPorts, target: Target, cluster: Cluster): BoundPhase[] =>
  rotates(cluster)
    ? [
        {
          id: 'cloud-adopt',
          title: 'application credentials in force',
          deadlineSeconds: DEADLINE_SECONDS,
          ensure: async () => {
            await commit(ports, target, (read) => adopted(ports, read))
            return DONE
          },
        },
        {
          id: 'cloud-revoke',
          title: 'revocation of the former application credentials',
          deadlineSeconds: DEADLINE_SECONDS,
          isLenient: true,
          ensure: async () => {
            await revoke(ports, target)
            return DONE
          },
        },
      ]
    : []

/** What comes last when a cluster is deleted: nobody needs its application credentials any more. Those that stay are a warning. */
export const phasesAfterDeletion = (ports: StepPorts, target: Target, cluster: Cluster): BoundPhase[] =>
  cluster.cloud
    ? [
        {
          id: 'cloud-revoke',
          title: 'revocation of the application credentials',
          deadlineSeconds: DEADLINE_SECONDS,
          isLenient: true,
          ensure: async () => {
            await commit(ports, target, async (read) => {
              const writes = await retiredGrants(ports, read)
              return writes.length === 0 ? null : { change: {}, writes }
            })
            await revoke(ports, target)
            return DONE
          },
        },
      ]
    : []
