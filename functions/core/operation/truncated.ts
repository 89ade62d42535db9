import type { Cluster, ClusterChange, ClusterObservation } from '../cluster/cluster.ts'
import type { NodeGroup, NodeGroupChange } from '../cluster/node-group.ts'
import { isWithinSize, jsonBytes, withinSize } from '../values/attribute-sizes.ts'

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
