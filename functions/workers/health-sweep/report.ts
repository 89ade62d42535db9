import { isDeepStrictEqual } from 'node:util'
import type { Cluster, ClusterObservation } from '../../core/cluster/cluster.ts'
import { hostAccess } from '../../core/federation/federation-context.ts'
import { accessToMember, memberContext, storedToken } from '../../core/membership/member-context.ts'
import type { Ports } from '../../core/ports.ts'
import { isAppError } from '../../core/values/app-error.ts'
import type { FederationKey } from '../../store/federation.store.ts'
import { memberOf } from './members.ts'
import { isConfirmed } from './verdict.ts'

/** What a control plane is informed of: health, whether the API is well (nodes may be what is not), version. */
const newsOf = ({ healthStatus, healthReason, version }: ClusterObservation): string =>
  `${healthStatus}, API ${healthReason.api === 'ok' ? 'ok' : 'not ok'}, ${version ?? 'version unknown'}`

/** True when the control plane knows now; false when it is to be told later: something runs on the membership, or it is not ready. */
const report = async (ports: Ports, cluster: Cluster, key: FederationKey): Promise<boolean> => {
  const { projectId, id: federationId } = key
  const membership = await ports.stores.memberships.get({ projectId, federationId, clusterId: cluster.id })
  if (membership?.state !== 'Ready' && membership?.state !== 'Degraded') return false
  const federation = await ports.stores.federations.get(key)
  if (federation === undefined || membership.operation !== null) return false
  const driver = ports.drivers.federation.resolve(federation.driver)
  if (driver.refreshMember === undefined) return true
  const host = await hostAccess(ports, federation)
  const member = await accessToMember(ports, cluster, membership)
  try {
    const context = memberContext(ports, { federation, host, member, membership, tokenOf: storedToken })
    return (await driver.refreshMember(context)).done
  } finally {
    host.close()
    member.close()
  }
}

/** As `tell`; a fault, of the host most likely, is reported in the log and is the fault of this federation only. */
const reportOrLater = async (ports: Ports, cluster: Cluster, key: FederationKey): Promise<boolean> => {
  try {
    return await report(ports, cluster, key)
  } catch (error) {
    const reported = isAppError(error) ? { error: error.name, message: error.message } : { error }
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
 * Has the control planes of a cluster's federations say what the cluster's observation says, when two observations agree on that. Compares with
 * what each was reported last, which is stored: whatever kept one from being told, it is reported at a later observation. Call it when the observation
 * is stored. An observation that finds nothing new reads and writes nothing here.
 *
 * @returns how many are still to be told
 */
export const reportToControlPlanes = async (ports: Ports, cluster: Cluster): Promise<number> => {
  const { observation, projectId, id } = cluster
  if (observation === null || !isConfirmed(observation)) return 0
  const news = newsOf(observation)
  const reported = await reportedAfter(ports, cluster, news)
  if (!isDeepStrictEqual(reported, { ...cluster.told })) {
    await ports.stores.commit([ports.stores.clusters.noteReported({ projectId, id }, reported)])
  }
  return memberOf(cluster).filter((key) => reported[key.id] !== news).length
}
