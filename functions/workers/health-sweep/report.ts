import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Cluster, ClusterObservation } from '../../core/cluster/cluster.ts'
import { withMember } from '../../core/membership/member-context.ts'
import type { Ports } from '../../core/ports.ts'
import { loggedError } from '../../core/values/app-error.ts'
import type { FederationKey } from '../../store/federation.store.ts'
import { memberOf } from './members.ts'
import { isConfirmed, isDue } from './verdict.ts'

/** Characters of a digest: one that is the same by accident would hide a change, and twelve are enough against accidents. */
const DIGEST_LENGTH = 12

/** Of what drivers publish of a cluster besides its health: its name and identity, and the way to its API server. */
const digestOf = ({ name, identity, endpoint }: Cluster): string =>
  createHash('sha256')
    .update(JSON.stringify([name, identity?.uid, endpoint]))
    .digest('hex')
    .slice(0, DIGEST_LENGTH)

/** What a control plane is informed of: health, whether the API is well (nodes may be what is not), version, and all else that it says of the cluster. */
const newsOf = (cluster: Cluster & { observation: ClusterObservation }): string => {
  const { healthStatus, healthReason, version } = cluster.observation
  const api = healthReason.api === 'ok' ? 'ok' : 'not ok'
  return `${healthStatus}, API ${api}, ${version ?? 'version unknown'}, ${digestOf(cluster)}`
}

/** What its control planes are to be informed of; undefined while two observations do not agree yet. */
const newsIn = (cluster: Cluster): string | undefined => {
  const { observation } = cluster
  return observation === null || !isConfirmed(observation) ? undefined : newsOf({ ...cluster, observation })
}

const isOwed = (cluster: Cluster): boolean => {
  const news = newsIn(cluster)
  return news !== undefined && memberOf(cluster).some(({ id }) => cluster.told?.[id] !== news)
}

/** As `isDue`, and while a control plane has not been informed of what is known of a member: such a cluster is not left to its fifth minute. */
export const isDueOrOwed = (cluster: Cluster, now: Date): boolean => isDue(cluster, now) || isOwed(cluster)

/** True when the control plane knows now; false when it is to be told later: something runs on the membership, or it is not ready. */
const report = async (ports: Ports, cluster: Cluster, key: FederationKey): Promise<boolean> => {
  const { projectId, id: federationId } = key
  const membership = await ports.stores.memberships.get({ projectId, federationId, clusterId: cluster.id })
  if (membership?.state !== 'Ready' && membership?.state !== 'Degraded') return false
  const federation = await ports.stores.federations.get(key)
  if (federation === undefined || membership.operation !== null) return false
  const driver = ports.drivers.federation.resolve(federation.driver)
  const refresh = driver.refreshMember?.bind(driver)
  if (refresh === undefined) return true
  return withMember(ports, { federation, cluster, membership }, async (context) => (await refresh(context)).done)
}

/** As `tell`; a fault, of the host most likely, is reported in the log and is the fault of this federation only. */
const reportOrLater = async (ports: Ports, cluster: Cluster, key: FederationKey): Promise<boolean> => {
  try {
    return await report(ports, cluster, key)
  } catch (error) {
    const reported = loggedError(error)
    ports.log.warn('control plane not told', {
      projectId: key.projectId,
      federationId: key.id,
      clusterId: cluster.id,
      ...reported,
    })
    return false
  }
}

/** Federation id → what it was informed of last, after all were informed of the news as far as that is possible now. */
const reportedAfter = async (ports: Ports, cluster: Cluster, news: string): Promise<Record<string, string>> => {
  const after: Record<string, string> = {}
  for (const key of memberOf(cluster)) {
    const before = cluster.told?.[key.id]
    const said = before === news || (await reportOrLater(ports, cluster, key)) ? news : before
    if (said !== undefined) after[key.id] = said
  }
  return after
}

/**
 * Has the control planes of a cluster's federations say what the cluster and its observation say, when two observations agree on that. Compares with
 * what each was reported last, which is stored: whatever kept one from being told, it is reported at a later observation. Call it when the observation
 * is stored. An observation that finds nothing new reads and writes nothing here.
 *
 * @returns how many are still to be told
 */
export const reportToControlPlanes = async (ports: Ports, cluster: Cluster): Promise<number> => {
  const { projectId, id } = cluster
  const news = newsIn(cluster)
  if (news === undefined) return 0
  const reported = await reportedAfter(ports, cluster, news)
  if (!isDeepStrictEqual(reported, { ...cluster.told })) {
    await ports.stores.commit([ports.stores.clusters.noteReported({ projectId, id }, reported)])
  }
  return memberOf(cluster).filter((key) => reported[key.id] !== news).length
}
