import type { Write } from '../../store/write.ts'
import type { Ports } from '../ports.ts'
import { isWithinSize, jsonBytes, withinSize } from '../values/attribute-sizes.ts'
import type { Status } from '../values/status.ts'
import type { Cluster, ClusterChange, ClusterObservation } from './cluster.ts'
import { type NodeGroup, type NodeGroupChange, nodesOf } from './node-group.ts'
import type { GroupOutcome } from './task-groups.ts'

/**
 * What goes with the deletion of a cluster that was stored when nothing bounded what callers gave: attributes of it and of its node groups that are larger
 * than allowed are cut, so that there is room for what the deletion writes. Nothing of others.
 */
export const truncatedCluster = ({ magnum }: Cluster): ClusterChange => {
  const { labels, templateLabels } = magnum
  if (isWithinSize('labels', labels) && isWithinSize('labels', templateLabels)) return {}
  const cut = { labels: withinSize('labels', labels), templateLabels: withinSize('labels', templateLabels) }
  return { magnum: { ...magnum, ...cut } }
}

/** The same of a node group. */
export const truncatedGroup = ({ labels, nodeLabels, nodeTaints }: NodeGroup): NodeGroupChange => ({
  ...(isWithinSize('labels', labels) ? {} : { labels: withinSize('labels', labels) }),
  ...(isWithinSize('node_labels', nodeLabels) ? {} : { nodeLabels: withinSize('node_labels', nodeLabels) }),
  ...(isWithinSize('node_taints', nodeTaints) ? {} : { nodeTaints: [] }),
})

/** Bytes as JSON: what drivers see is less, and room for a deletion is left with it. */
const OBSERVATION_BYTES_MAX = 64 * 1024

/** Characters. */
const VERSION_MAX = 255

/** The same of what was seen of a cluster; null when there is nothing to cut. */
export const truncatedObservation = ({ observation }: Cluster, now: Date): ClusterObservation | null => {
  if (observation === null || jsonBytes(observation) <= OBSERVATION_BYTES_MAX) return null
  const healthReason = withinSize('health_status_reason', observation.healthReason)
  const version = observation.version?.slice(0, VERSION_MAX) ?? null
  return { ...observation, healthReason, version, observedAt: now.toISOString() }
}

type GroupPorts = Pick<Ports, 'stores' | 'clock'>

/** Node groups that one commit may change, with room for what else it writes: a transaction has at most 100 items. */
export const GROUPS_IN_COMMIT = 60

/** Bytes of node groups that one commit may write, as JSON: a transaction has 4 MiB, of which the cluster and the rest of a commit take their part. */
const GROUPS_BYTES_MAX = 3 * 1024 * 1024

/** As many of the first node groups as one commit may write, by number and by size; one at least. */
export const groupsInCommit = <G extends NodeGroup>(groups: readonly G[]): G[] => {
  let bytes = 0
  return groups.slice(0, GROUPS_IN_COMMIT).filter((group, index) => {
    bytes += jsonBytes(group)
    return index === 0 || bytes <= GROUPS_BYTES_MAX
  })
}

/** Writes what an end makes of node groups. */
export const outcomeWrites = ({ stores, clock }: GroupPorts, { changed, removed }: GroupOutcome): Write[] => {
  const updatedAt = clock.now().toISOString()
  return [
    ...changed.map(({ group, change }) => stores.nodeGroups.change(group, { ...change, updatedAt })),
    ...removed.map((group) => stores.nodeGroups.remove(group)),
  ]
}

/**
 * Sets the status of node groups beside that of their cluster, without a reason: all of them, as far as one commit goes. What goes beyond
 * is set by the operation's end. With a deletion goes what is larger than allowed.
 */
export const markedGroups = (ports: GroupPorts, groups: readonly NodeGroup[], status: Status): Write[] =>
  outcomeWrites(ports, {
    changed: groupsInCommit(groups).map((group) => ({
      group,
      change: { status, statusReason: null, ...(status === 'DELETE_IN_PROGRESS' ? truncatedGroup(group) : {}) },
    })),
    removed: [],
  })

/** The sums that go with groups as they will be; none for clusters whose nodes are only counted. */
export const sumsOf = (cluster: Cluster, groups: readonly NodeGroup[]): ClusterChange =>
  cluster.nodes === null ? {} : { nodes: nodesOf(groups) }
