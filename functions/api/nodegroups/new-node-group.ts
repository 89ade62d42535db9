import type { Cluster } from '../../core/cluster/cluster.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import { nodeLabelFaults } from '../../core/cluster/node-labels.ts'
import { countFault, defaultWorkerOf, limitsFault } from '../../core/cluster/node-limits.ts'
import { taintFaults, taintsOf } from '../../core/cluster/node-taints.ts'
import { mergeLabels } from '../../core/values/labels.ts'
import { demandSize } from '../body/demand-size.ts'
import type { CreateNodeGroup } from './node-group.schema.ts'
import { demandNoFault } from './node-group-rules.ts'

const demandSound = (body: CreateNodeGroup, group: NodeGroup): void => {
  const inLimits = [limitsFault(group) ?? countFault(group.nodeCount, group) ?? []].flat()
  demandNoFault([...inLimits, ...nodeLabelFaults(group.nodeLabels), ...taintFaults(body.node_taints ?? [])])
}

/** @throws RequestTooLarge */
const demandSizes = ({ labels, nodeLabels, nodeTaints }: NodeGroup, given: CreateNodeGroup): void => {
  demandSize('labels', labels, { advice: 'Labels that it has of its cluster count, too.' })
  demandSize('node_labels', nodeLabels)
  demandSize('node_taints', given.node_taints ?? nodeTaints)
}

/** One more than the highest; the cluster's revision keeps two from taking the same. */
const nextNumber = (groups: readonly NodeGroup[]): number => Math.max(0, ...groups.map(({ number }) => number)) + 1

/**
 * A node group as it is the instant that its 202 goes out, with Magnum's defaults (magnum-rest.md section 6). The image is that of the
 * default workers, who have it from the template.
 *
 * @throws NodeGroupInvalid, RequestTooLarge
 */
export const newNodeGroup = (
  body: CreateNodeGroup,
  cluster: Cluster,
  groups: readonly NodeGroup[],
  given: { id: string; now: string },
): NodeGroup => {
  const group: NodeGroup = {
    id: given.id,
    projectId: cluster.projectId,
    clusterId: cluster.id,
    number: nextNumber(groups),
    name: body.name,
    role: body.role ?? 'worker',
    isDefault: false,
    nodeCount: body.node_count ?? 1,
    reachedCount: 0,
    minNodeCount: body.min_node_count ?? 0,
    maxNodeCount: body.max_node_count ?? null,
    flavorId: body.flavor_id ?? cluster.magnum.flavorId,
    imageId: body.image_id ?? defaultWorkerOf(groups)?.imageId ?? null,
    labels: mergeLabels(cluster.magnum.labels, { labels: body.labels, merge: body.merge_labels }),
    dockerVolumeSize: body.docker_volume_size ?? null,
    nodeLabels: body.node_labels ?? {},
    nodeTaints: taintsOf(body.node_taints ?? []),
    nodeAddresses: [],
    status: 'CREATE_IN_PROGRESS',
    statusReason: null,
    failedTask: null,
    version: null,
    revision: 1,
    createdAt: given.now,
    updatedAt: null,
  }
  demandSizes(group, body)
  demandSound(body, group)
  return group
}
