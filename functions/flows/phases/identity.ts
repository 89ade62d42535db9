import { candidateFacts, noteCandidateFacts } from '../../core/access/cluster-candidate.ts'
import type { IdentityMark } from '../../core/access/identity-mark.ts'
import { openStored } from '../../core/access/open-cluster.ts'
import { type IdentityProof, newIdentityMark, proveSameCluster } from '../../core/access/same-cluster.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { openCluster, type Target } from '../../core/operation/subjects.ts'
import type { Write } from '../../store/write.ts'
import { candidateCredential, commitFacts } from '../entities/cluster-results.ts'
import type { BoundPhase } from '../loop.ts'
import type { StepPorts } from '../step.ts'

/** Seconds: some calls of two API servers. */
const DEADLINE_SECONDS = 120

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
          deadlineSeconds: DEADLINE_SECONDS,
          ensure: async () => {
            await prove(ports, target)
            return { done: true }
          },
        },
      ]
    : []
