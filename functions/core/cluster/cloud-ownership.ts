import type { Write } from '../../store/write.ts'
import { cloudCandidateKey, cloudGrantsKey, cloudKey } from '../access/credentials.ts'
import type { Ports } from '../ports.ts'
import type { CloudOwnership, Cluster, ClusterChange } from './cluster.ts'

/** Days after which a grant is renewed. It has no end of its own, so that a renewal that fails ends no cluster (decision 0018). */
const RENEW_DAYS = 30
/** Days after which one that could not be renewed is tried again. */
const AGAIN_DAYS = 1

type ClockPorts = Pick<Ports, 'clock'>

const inDays = ({ clock }: ClockPorts, days: number): string =>
  new Date(clock.now().getTime() + days * 86_400_000).toISOString()

/** Of a cluster that a user has just delegated something to. */
export const newOwnership = (ports: ClockPorts, userId: string): CloudOwnership => ({
  userId,
  renewAfter: inDays(ports, RENEW_DAYS),
})

/** What was due, and came to nothing, is due again in a day. Needs no key. */
export const renewalPutOff = (ports: ClockPorts, { cloud }: Pick<Cluster, 'cloud'>): ClusterChange => {
  const renewAfter = inDays(ports, AGAIN_DAYS)
  return cloud && cloud.renewAfter < renewAfter ? { cloud: { ...cloud, renewAfter } } : {}
}

/** Forgets all that a cluster was delegated. */
export const forgottenGrants = (
  { stores }: Pick<Ports, 'stores'>,
  cluster: Pick<Cluster, 'projectId' | 'id'>,
): Write[] => [cloudKey, cloudCandidateKey, cloudGrantsKey].map((keyOf) => stores.credentials.remove(keyOf(cluster)))
