import { isDeepStrictEqual } from 'node:util'
import { intactAccess } from '../../core/access/cluster-access.ts'
import type { Cluster, ClusterObservation } from '../../core/cluster/cluster.ts'
import { hostAccess } from '../../core/federation/host-access.ts'
import { memberContext, storedToken } from '../../core/membership/member-context.ts'
import type { Ports } from '../../core/ports.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { memberOf } from './members.ts'
import { isConfirmed } from './verdict.ts'

/** What a control plane is told of: health, whether the API is well (nodes may be what is not), version. */
const newsOf = ({ healthStatus, healthReason, version }: ClusterObservation): string =>
  `${healthStatus}, API ${healthReason.api === 'ok' ? 'ok' : 'not ok'}, ${version ?? 'version unknown'}`

/** True when the control plane knows now; false when it is to be told later: something runs on the membership, or it is not ready. */
const tell = async (ports: Ports, cluster: Cluster, federationId: string): Promise<boolean> => {
  const { projectId } = cluster
  const membership = await ports.stores.memberships.get({ projectId, federationId, clusterId: cluster.id })
  if (membership?.state !== 'Ready' && membership?.state !== 'Degraded') return false
  const federation = await ports.stores.federations.get({ projectId, id: federationId })
  if (federation === undefined || membership.operation !== null) return false
  const driver = ports.drivers.federation.resolve(federation.driver)
  if (driver.refreshMember === undefined) return true
  const host = await hostAccess(ports, federation)
  const member = await intactAccess(ports, cluster, () => ports.stores.integrity.requireMembership(membership))
  try {
    const context = memberContext(ports, { federation, host, member, membership, tokenOf: storedToken })
    return (await driver.refreshMember(context)).done
  } finally {
    host.close()
    member.close()
  }
}

/** As `tell`; a fault, of the host most likely, is told in the log and is the fault of this federation only. */
const tellOrLater = async (ports: Ports, cluster: Cluster, federationId: string): Promise<boolean> => {
  try {
    return await tell(ports, cluster, federationId)
  } catch (error) {
    const told = isAppError(error) ? { error: error.name, message: error.message } : { error }
    ports.log.warn('control plane not told', {
      projectId: cluster.projectId,
      federationId,
      clusterId: cluster.id,
      ...told,
    })
    return false
  }
}

/** Federation id → what it was told last, after all were told the news as far as that is possible now. */
const toldAfter = async (ports: Ports, cluster: Cluster, news: string): Promise<Record<string, string>> => {
  const after: Record<string, string> = {}
  for (const id of memberOf(cluster)) {
    const before = cluster.told?.[id]
    const said = before === news || (await tellOrLater(ports, cluster, id)) ? news : before
    if (said !== undefined) after[id] = said
  }
  return after
}

/**
 * Has the control planes of a cluster's federations say what the cluster's observation says, when two looks agree on that. Compares with
 * what each was told last, which is stored: whatever kept one from being told, it is told at a later look. Call it when the observation
 * is stored. A look that finds nothing new reads and writes nothing here.
 *
 * @returns how many are still to be told
 */
export const tellControlPlanes = async (ports: Ports, cluster: Cluster): Promise<number> => {
  const { observation, projectId, id } = cluster
  if (observation === null || !isConfirmed(observation)) return 0
  const news = newsOf(observation)
  const told = await toldAfter(ports, cluster, news)
  if (!isDeepStrictEqual(told, { ...cluster.told })) {
    await ports.stores.commit([ports.stores.clusters.noteTold({ projectId, id }, told)])
  }
  return memberOf(cluster).filter((federationId) => told[federationId] !== news).length
}
