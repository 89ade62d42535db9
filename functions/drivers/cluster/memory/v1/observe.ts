import type { ClusterObservation } from '../../../../core/cluster/cluster.ts'
import { nodesOf } from '../../../../core/cluster/node-group.ts'
import type { ClusterContext } from '../../../contract/cluster-driver.ts'
import { simulatedNodes } from './nodes.ts'
import { CLUSTER_LABELS, readLabels } from './schema.ts'
import { versionOf } from './versions.ts'

/** `ensure:<phase>`, `undo:<phase>` or `observe`, of which cluster. */
type ClusterCall = { name: string; clusterId: string }

type Hook = (call: ClusterCall, context: ClusterContext) => void | Promise<void>

/** Calls that are kept: far more than a test makes, and no leak in a server. */
const CALLS_MAX = 5000

/** Clusters that memory@1 simulates: who called what, hooks to script failures, and what is up. */
export class MemoryClusters {
  readonly calls: ClusterCall[] = []
  /** Called before an act: throwing makes it fail with nothing done. */
  before: Hook | undefined
  /** Called after an act: throwing loses its result, as a crash does. */
  after: Hook | undefined
  /** Ids of clusters that are up. */
  readonly up = new Set<string>()
  /** Ids of clusters in whose place another one answers. */
  readonly replaced = new Set<string>()

  /** Writes a call down. */
  note(call: ClusterCall): void {
    if (this.calls.length >= CALLS_MAX) this.calls.shift()
    this.calls.push(call)
  }
}

/** Nodes in the map of reasons: it is shown with every cluster. */
const NODES_SHOWN = 50

/** What is seen of a simulated cluster: its nodes, all of them ready, unless its label `memory-health` says otherwise. */
export const seen = ({ cluster, nodeGroups, now }: Pick<ClusterContext, 'cluster' | 'nodeGroups' | 'now'>) => {
  const health = readLabels(CLUSTER_LABELS, cluster.magnum.labels)['memory-health'] ?? 'HEALTHY'
  const { nodeCount, masterCount } = nodesOf(nodeGroups)
  const nodes = nodeGroups.flatMap((group) => simulatedNodes(cluster, group)).slice(0, NODES_SHOWN)
  const ready = Object.fromEntries(nodes.map(({ name }) => [`${name}.Ready`, 'True']))
  return {
    observedAt: now(),
    healthStatus: health,
    healthReason: health === 'HEALTHY' ? { api: 'ok', ...ready } : { api: 'told to be unhealthy' },
    version: versionOf(cluster),
    nodeCount,
    masterCount,
  } satisfies ClusterObservation
}

/** One observation. A hook that throws simulates a cluster that does not answer. */
export const observe = async (world: MemoryClusters, context: ClusterContext): Promise<ClusterObservation> => {
  const call = { name: 'observe', clusterId: context.cluster.id }
  world.note(call)
  try {
    await world.before?.(call, context)
    if (!world.replaced.has(call.clusterId)) return seen(context)
    const reason = 'another cluster answers in its place'
    return { ...seen(context), healthStatus: 'UNHEALTHY', healthReason: { api: reason }, isOther: true }
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error)
    return { ...seen(context), healthStatus: 'UNHEALTHY', healthReason: { api: fault } }
  }
}
