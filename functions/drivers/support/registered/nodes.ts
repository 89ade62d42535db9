import type { KubernetesClient } from '../../../kubernetes/client.ts'
import { nodes } from '../../../kubernetes/resources.ts'
import { pagesOf } from '../pages.ts'
import { Node } from './node.schema.ts'

/** Labels of control plane nodes; the second is the one of before Kubernetes 1.20, still found. */
const CONTROL_PLANE_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

/** Most nodes that the reason map names, not ready ones first, so that the stored item stays small. */
const NODES_IN_REASON_MAX = 100

/** Characters that the name of a node has at most in Kubernetes; a server may tell anything. */
const NAME_MAX = 253

export type NodeSummary = {
  /** All nodes but those of the control plane, as Magnum counts. */
  nodeCount: number
  masterCount: number
  allReady: boolean
  /** Magnum's map: `<node>.Ready` → `True` or `False`. */
  reasons: Record<string, string>
}

const isReady = ({ status }: Node): boolean =>
  status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True')

const isMaster = ({ metadata }: Node): boolean => CONTROL_PLANE_LABELS.some((label) => label in metadata.labels)

/** Counts the nodes and sees which are ready. A cluster may well have none: a bare control plane, or all scaled away. */
export const summarizeNodes = async (client: KubernetesClient): Promise<NodeSummary> => {
  const parsed: Node[] = []
  for await (const page of pagesOf(client, nodes)) parsed.push(...page.map((node) => Node.parse(node)))
  const masterCount = parsed.filter(isMaster).length
  const unready = parsed.filter((node) => !isReady(node))
  const named = [...unready, ...parsed.filter(isReady)].slice(0, NODES_IN_REASON_MAX)
  return {
    nodeCount: parsed.length - masterCount,
    masterCount,
    allReady: unready.length === 0,
    reasons: Object.fromEntries(
      named.map((node) => [`${node.metadata.name.slice(0, NAME_MAX)}.Ready`, isReady(node) ? 'True' : 'False']),
    ),
  }
}
