import { candidateFacts, noteCandidateFacts, promotedFacts } from '../../core/access/cluster-identity.ts'
import type { IdentityMark } from '../../core/access/identity-mark.ts'
import { managementAccess, type OpenManagementAccess } from '../../core/access/management-access.ts'
import { openBy, openStored } from '../../core/access/open-cluster.ts'
import { type IdentityProof, newIdentityMark, proveSameCluster } from '../../core/access/same-cluster.ts'
import { changesOf } from '../../core/cluster/changes.ts'
import type { Cluster, ClusterChange } from '../../core/cluster/cluster.ts'
import { isManagementCluster, type ManagementCluster } from '../../core/cluster/management.ts'
import { managementReady, requireManagementFit } from '../../core/cluster/management-check.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { openCluster, type Target } from '../../core/operation/subjects.ts'
import type { Write } from '../../store/write.ts'
import { candidateCredential, commitFacts } from '../entities/cluster-results.ts'
import type { BoundPhase } from '../loop.ts'
import type { StepPorts } from '../step.ts'

/** Seconds: some reads. */
const DEADLINE_SECONDS = 300

/** How a management cluster is reached for the observation. */
type Open = (ports: StepPorts, cluster: ManagementCluster) => Promise<OpenManagementAccess>

const asStored: Open = async (ports, cluster) => managementAccess(ports, cluster)

/** With what an update brought, which is not in force yet. */
const asCandidate: Open = async (ports, cluster) => {
  const { change } = await promotedFacts(ports, cluster)
  const moved = { ...cluster, ...change, management: cluster.management }
  return managementAccess(ports, moved, async () => openBy(ports, moved, await candidateCredential(ports, cluster)))
}

const check = async (ports: StepPorts, target: Target, open: Open): Promise<void> => {
  const read = await openCluster(ports, target)
  if (!isManagementCluster(read)) return
  const warnings = await requireManagementFit(ports, read, await open(ports, read))
  await retryOnConflict(async () => {
    const cluster = await openCluster(ports, target)
    const change = changesOf<ClusterChange>(cluster, { conditions: managementReady(ports, cluster, warnings) })
    if (Object.keys(change).length > 0) await ports.stores.commit([ports.stores.clusters.change(cluster, change)])
  })
}

const phases = (ports: StepPorts, target: Target, cluster: Cluster, open: Open): BoundPhase[] =>
  isManagementCluster(cluster)
    ? [
        {
          id: 'check-management',
          title: `fitness as a management cluster of ${cluster.management.driver}`,
          deadlineSeconds: DEADLINE_SECONDS,
          ensure: async () => {
            await check(ports, target, open)
            return { done: true }
          },
        },
      ]
    : []

/**
 * The last phase of registering a management cluster, after its own driver's: the driver that is to make clusters through it checks it. None
 * for other clusters.
 */
export const managementPhases = (ports: StepPorts, target: Target, cluster: Cluster): BoundPhase[] =>
  phases(ports, target, cluster, asStored)

/** The same for another credential, before the old one is given up: with one that may do less, nothing of all projects would go on. */
export const managementPhasesOfCredential = (ports: StepPorts, target: Target, cluster: Cluster): BoundPhase[] =>
  cluster.task?.kind === 'credential' ? phases(ports, target, cluster, asCandidate) : []

/** Seconds: some calls of two API servers. */
const IDENTITY_SECONDS = 120

/** The mark is noted before it is written, so that a second try finds the first one's. */
const notedMark = async (ports: StepPorts, target: Target, known: IdentityMark | undefined): Promise<IdentityMark> => {
  if (known !== undefined) return known
  const mark = newIdentityMark()
  await commitFacts(ports, target, { mark })
  return mark
}

/** What somebody vouched for is in the history: with it goes whatever is sent there from now on. */
const audit = (ports: StepPorts, cluster: Cluster, proof: IdentityProof, vouchedBy: string | undefined): Write[] =>
  proof === 'vouched'
    ? [
        ownerEvent(ports, 'cluster', cluster, {
          action: 'update',
          outcome: 'pending',
          reason: 'IdentityAccepted',
          message: `User ${vouchedBy} vouches that the new endpoint is cluster ${cluster.name}: its certificate authority is another one.`,
        }),
      ]
    : []

/** What took a mark, or somebody's word, is asked once; CAs are compared again at no cost. */
const noteProof = (ports: StepPorts, target: Target, proof: IdentityProof): Promise<void> =>
  retryOnConflict(async () => {
    const cluster = await openCluster(ports, target)
    const { vouchedBy } = await candidateFacts(ports, cluster)
    const writes = await noteCandidateFacts(ports, cluster, { proof })
    if (writes.length === 0) return
    const { clusters, commit } = ports.stores
    await commit([clusters.change(cluster, {}), ...writes, ...audit(ports, cluster, proof, vouchedBy)])
  })

const prove = async (ports: StepPorts, target: Target): Promise<void> => {
  const cluster = await openCluster(ports, target)
  const { endpoint, vouchedBy = null, proof, mark } = await candidateFacts(ports, cluster)
  if (endpoint === undefined || proof !== undefined) return
  const credential = await candidateCredential(ports, cluster)
  const question = { cluster, endpoint, credential, vouchedBy, mark: () => notedMark(ports, target, mark) }
  const found = await proveSameCluster(ports, question, () => openStored(ports, cluster))
  if (found !== 'ca') await noteProof(ports, target, found)
}

/**
 * What comes after the driver's phases of `credential`, of a cluster that has an identity: proof that the new endpoint leads to the same one, before
 * anything is sent there that nobody else may have. None for other tasks.
 */
export const identityPhases = (ports: StepPorts, target: Target, { task, identity }: Cluster): BoundPhase[] =>
  task?.kind === 'credential' && identity !== null
    ? [
        {
          id: 'same-cluster',
          title: 'proof that it is the same cluster',
          deadlineSeconds: IDENTITY_SECONDS,
          ensure: async () => {
            await prove(ports, target)
            return { done: true }
          },
        },
      ]
    : []
