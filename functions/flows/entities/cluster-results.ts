import { type ClusterCandidate, claimIdentity, noteCandidateFacts } from '../../core/access/cluster-identity.ts'
import { candidateKey, kubeconfigKey } from '../../core/access/credentials.ts'
import { changesOf, mergeState } from '../../core/cluster/changes.ts'
import type { Cluster, ClusterChange } from '../../core/cluster/cluster.ts'
import { reportedGroups } from '../../core/cluster/node-group-results.ts'
import { reportObservation } from '../../core/cluster/observed-health.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { openCluster, type Target } from '../../core/operation/subjects.ts'
import type { Secret } from '../../core/values/secret.ts'
import type { ClusterStepResult } from '../../drivers/contract/cluster-driver.ts'
import { ClusterIdentityChanged } from '../../kubernetes/errors.ts'
import type { StepPorts } from '../step.ts'

/** @param cluster as it was read for what else was reported */
const observe = async (ports: StepPorts, cluster: Cluster, { observation }: ClusterStepResult): Promise<void> => {
  if (observation !== undefined) await reportObservation(ports, cluster, observation)
}

const stateOf = (cluster: Cluster, { state }: ClusterStepResult): ClusterChange =>
  state === undefined ? {} : { driverState: mergeState(cluster.driverState, state) }

/** One commit for what was reported of the cluster and of its node groups; none when nothing would change. Gives the cluster as it was before. @throws OperationSuperseded */
const commitResult = (
  ports: StepPorts,
  target: Target,
  result: ClusterStepResult,
  found: ClusterChange = {},
): Promise<Cluster> =>
  retryOnConflict(async () => {
    const cluster = await openCluster(ports, target)
    const { nodeGroups: reported = [], done } = result
    const stored = reported.length === 0 ? [] : await ports.stores.nodeGroups.listOf(cluster)
    const groups = reportedGroups(ports, cluster, { groups: stored, reported, done })
    const changes = changesOf<ClusterChange>(cluster, { ...stateOf(cluster, result), ...found, ...groups.change })
    if (Object.keys(changes).length === 0 && groups.writes.length === 0) return cluster
    await ports.stores.commit([ports.stores.clusters.change(cluster, changes), ...groups.writes])
    return cluster
  })

/** Stores all that a phase found in the cluster itself. @throws ClusterAlreadyRegistered */
export const storeClusterResult = async (
  ports: StepPorts,
  target: Target,
  result: ClusterStepResult,
): Promise<void> => {
  if (result.identity !== undefined) await claimIdentity(ports, target, result.identity.uid)
  const cluster = await commitResult(ports, target, result, {
    ...(result.endpoint === undefined ? {} : { endpoint: result.endpoint }),
    ...(result.identity === undefined ? {} : { identity: result.identity }),
  })
  await observe(ports, cluster, result)
}

/** @throws ClusterIdentityChanged when the new credential leads to another cluster */
const mustBeTheSame = (cluster: Cluster, uid: string): void => {
  if (cluster.identity === null || cluster.identity.uid === uid) return
  throw new ClusterIdentityChanged(
    `The new credential leads to another Kubernetes cluster than ${cluster.name}: its kube-system namespace has another uid. Register the other cluster under its own name.`,
  )
}

/** Goes with a change of the cluster: proof that the operation still runs. @throws OperationSuperseded */
export const commitFacts = (ports: StepPorts, target: Target, facts: ClusterCandidate): Promise<void> =>
  retryOnConflict(async () => {
    const cluster = await openCluster(ports, target)
    const writes = await noteCandidateFacts(ports, cluster, facts)
    if (writes.length > 0) await ports.stores.commit([ports.stores.clusters.change(cluster, {}), ...writes])
  })

/**
 * Stores what a phase of an update found: endpoint and identity sealed beside the cluster, until the update has succeeded.
 *
 * @throws ClusterIdentityChanged, ClusterAlreadyRegistered
 */
export const storeCandidateResult = async (
  ports: StepPorts,
  target: Target,
  result: ClusterStepResult,
): Promise<void> => {
  const { endpoint, identity } = result
  if (identity !== undefined) {
    mustBeTheSame(await openCluster(ports, target), identity.uid)
    await claimIdentity(ports, target, identity.uid)
  }
  const cluster = await commitResult(ports, target, result)
  if (endpoint !== undefined || identity !== undefined)
    await commitFacts(ports, target, { ...(endpoint && { endpoint }), ...(identity && { identity }) })
  await observe(ports, cluster, result)
}

/** The stored credential. */
export const storedCredential = (ports: StepPorts, cluster: Cluster): Promise<Secret | undefined> =>
  ports.stores.credentials.get(kubeconfigKey(cluster))

/** The credential that an update brought, else the stored one. */
export const candidateCredential = async (ports: StepPorts, cluster: Cluster): Promise<Secret | undefined> =>
  (await ports.stores.credentials.get(candidateKey(cluster))) ?? (await storedCredential(ports, cluster))
