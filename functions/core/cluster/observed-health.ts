import type { Write } from '../../store/write.ts'
import { ownerEvent } from '../operation/events.ts'
import type { TablePorts } from '../ports.ts'
import { withoutFullStop } from '../values/wording.ts'
import type { Cluster, ClusterObservation } from './cluster.ts'

const NODE_READY = '.Ready'

const faultOf = ([key, value]: [string, string]): string => {
  if (key === 'api') return withoutFullStop(value)
  if (key.endsWith(NODE_READY)) return `node ${key.slice(0, -NODE_READY.length)} is not ready`
  return `${key}: ${withoutFullStop(value)}`
}

/** One sentence of what Magnum's map of reasons finds wrong, for messages and events. */
export const describeUnhealthy = (reasons: ClusterObservation['healthReason']): string => {
  const faults = Object.entries(reasons).filter(([, value]) => value !== 'ok' && value !== 'True')
  return faults.length === 0
    ? 'The cluster is unhealthy.'
    : `The cluster is unhealthy: ${faults.map(faultOf).join('; ')}.`
}

/** What was seen, with since when that is so. @param stored the observation before it */
export const withSince = (stored: ClusterObservation | null, seen: ClusterObservation): ClusterObservation => {
  const { unhealthySince: _, ...rest } = seen
  if (seen.healthStatus !== 'UNHEALTHY') return rest
  const before = stored?.healthStatus === 'UNHEALTHY' ? (stored.unhealthySince ?? stored.observedAt) : undefined
  return { ...rest, unhealthySince: before ?? seen.observedAt }
}

const REASONS = { HEALTHY: 'ClusterHealthy', UNHEALTHY: 'ClusterUnhealthy', UNKNOWN: 'ClusterUnknown' } as const

const messageOf = ({ name }: Cluster, { healthStatus, healthReason }: ClusterObservation): string => {
  if (healthStatus === 'UNHEALTHY') return describeUnhealthy(healthReason)
  return healthStatus === 'HEALTHY' ? `Cluster ${name} is healthy.` : `The health of cluster ${name} is not known.`
}

/** Nobody but a PATCH of the health stores one on behalf of a caller. */
const reportedBy = ({ caller }: HealthPorts): string => (caller ? `User ${caller.userId} reported: ` : '')

type HealthPorts = Pick<TablePorts, 'stores' | 'clock' | 'newId' | 'caller'>

/** The sequence is the cluster's revision as it is: an observation changes none. */
const healthEvent = (ports: HealthPorts, cluster: Cluster, next: ClusterObservation): Write => {
  const { healthStatus: after } = next
  const read = { ...cluster, revision: cluster.revision - 1 }
  return ownerEvent(ports, 'cluster', read, {
    action: 'update',
    outcome: after === 'HEALTHY' ? 'success' : 'failure',
    notify: false,
    reason: REASONS[after],
    message: `${reportedBy(ports)}${messageOf(cluster, next)}`,
    health: { before: cluster.observation?.healthStatus ?? null, after },
  })
}

/** Another cluster answers in its place from now on, or does no longer. */
const quarantineEvent = (ports: HealthPorts, cluster: Cluster, isOther: boolean): Write =>
  ownerEvent(
    ports,
    'cluster',
    { ...cluster, revision: cluster.revision - 1 },
    {
      action: 'update',
      outcome: isOther ? 'failure' : 'success',
      notify: false,
      reason: isOther ? 'Quarantined' : 'Released',
      message: isOther
        ? `Another cluster answers in the place of ${cluster.name}: nothing is written into it until the registered one answers again.`
        : `Nothing but ${cluster.name} itself answers in its place any more.`,
      quarantined: isOther,
    },
  )

/**
 * Stores what was seen, and with it the events of a change of health and of who answers. False when somebody else has seen something newer, when the health
 * was changed since the cluster was read, or the cluster is gone.
 */
export const storeObservation = (ports: HealthPorts, cluster: Cluster, seen: ClusterObservation): Promise<boolean> => {
  const { projectId, id, observation: read } = cluster
  const next = withSince(read, seen)
  const writes = [
    ...(next.healthStatus === read?.healthStatus ? [] : [healthEvent(ports, cluster, next)]),
    ...(next.isOther === read?.isOther ? [] : [quarantineEvent(ports, cluster, next.isOther === true)]),
  ]
  return ports.stores.clusters.observe({ projectId, id }, next, writes.length === 0 ? undefined : { read, writes })
}

/** The same for who decides by nothing that is stored: once more when the health was changed meanwhile, but by nothing newer. */
export const reportObservation = async (ports: HealthPorts, read: Cluster, next: ClusterObservation): Promise<void> => {
  let cluster: Cluster | undefined = read
  while (cluster !== undefined && (cluster.observation?.observedAt ?? '') < next.observedAt) {
    if (await storeObservation(ports, cluster, next)) return
    cluster = await ports.stores.clusters.get(cluster)
  }
}
