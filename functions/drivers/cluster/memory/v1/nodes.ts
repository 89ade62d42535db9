import type { Cluster } from '../../../../core/cluster/cluster.ts'
import type { NodeGroup } from '../../../../core/cluster/node-group.ts'
import { shortId } from '../../../../core/values/ids.ts'
import { SimulatedNodes } from './schema.ts'

/** Nodes that a simulated cluster may have: with their addresses (14 bytes each, once in its group and once in the cluster) far from 400 KB. */
export const NODES_MAX = 1000

/** Bits of an address within 10.0.0.0/8: 10 for the group's number, 14 for the node's. */
const NODE_SLOTS = 2 ** 14
/** Groups that a cluster may have in its life. */
export const GROUPS_MAX = 2 ** 10 - 1

/** One simulated node. */
export type SimulatedNode = { name: string; address: string }

/** What is to become of a group's nodes. */
export type WantedNodes = {
  count: number
  /** Names or addresses of nodes that go. Empty: the youngest go. */
  toRemove: readonly string[]
}

/** Key in `driverState` for the nodes of a group. */
export const nodesKey = ({ id }: Pick<NodeGroup, 'id'>): string => `memory-nodes-${shortId(id)}`

/** True for keys that `nodesKey` gives. */
export const isNodesKey = (key: string): boolean => key.startsWith('memory-nodes-')

const numbersOf = ({ runs }: SimulatedNodes): number[] =>
  runs.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))

const runsOf = (numbers: readonly number[]): [number, number][] =>
  numbers.reduce<[number, number][]>((runs, number) => {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === number - 1) run[1] = number
    else runs.push([number, number])
    return runs
  }, [])

const addressOf = (group: NodeGroup, number: number): string => {
  const slot = group.number * NODE_SLOTS + (number % NODE_SLOTS)
  return `10.${(slot >> 16) & 255}.${(slot >> 8) & 255}.${slot & 255}`
}

const nodeOf = (cluster: Cluster, group: NodeGroup, number: number): SimulatedNode => ({
  name: `${shortId(cluster.id)}-${group.name}-${number}`,
  address: addressOf(group, number),
})

const storedNodes = (cluster: Cluster, group: NodeGroup): SimulatedNodes => {
  const stored = SimulatedNodes.safeParse(cluster.driverState[nodesKey(group)])
  return stored.success ? stored.data : { next: 1, runs: [] }
}

/** The nodes of a group, oldest first. */
export const simulatedNodes = (
  cluster: Cluster,
  group: NodeGroup,
  nodes = storedNodes(cluster, group),
): SimulatedNode[] => numbersOf(nodes).map((number) => nodeOf(cluster, group, number))

const isNamed =
  (cluster: Cluster, group: NodeGroup, names: readonly string[]) =>
  (number: number): boolean => {
    const { name, address } = nodeOf(cluster, group, number)
    return names.includes(name) || names.includes(address)
  }

/** Those of the names that no node of the group has, nor ever had: one that is gone is no mistake (magnum-rest.md 11, row 14). */
export const unknownNodes = (cluster: Cluster, group: NodeGroup, names: readonly string[]): string[] => {
  if (names.length === 0) return []
  const { next } = storedNodes(cluster, group)
  const ever = Array.from({ length: next - 1 }, (_, index) => nodeOf(cluster, group, index + 1))
  const known = new Set(ever.flatMap(({ name, address }) => [name, address]))
  return names.filter((name) => !known.has(name))
}

/** How many nodes are named, each once: of those that the group has, and of those that it had. A name that nobody knows is one that is gone. */
const namedCount = (cluster: Cluster, group: NodeGroup, names: readonly string[]): number => {
  if (names.length === 0) return 0
  const { next } = storedNodes(cluster, group)
  const ever = Array.from({ length: next - 1 }, (_, index) => index + 1)
  // Addresses are used again.
  const slots = new Set(ever.filter(isNamed(cluster, group, names)).map((number) => number % NODE_SLOTS))
  return slots.size + new Set(unknownNodes(cluster, group, names)).size
}

/** Adds nodes until there are `count`. A number is never given twice, nor one whose address a living node has. */
const grown = (numbers: readonly number[], next: number, count: number): SimulatedNodes => {
  const all = [...numbers]
  const slots = new Set(all.map((number) => number % NODE_SLOTS))
  let number = next
  for (; all.length < count; number += 1) {
    if (slots.has(number % NODE_SLOTS)) continue
    slots.add(number % NODE_SLOTS)
    all.push(number)
  }
  return { next: number, runs: runsOf(all) }
}

/**
 * The nodes of a group when `wanted` has been done. Named nodes go first, then the youngest, down to the count. A name that is gone
 * already still takes a place among those to go, so that nobody goes in its stead: more nodes than were asked for may then remain
 * (magnum-rest.md 11, row 14). Done twice it is the same.
 */
export const changedNodes = (cluster: Cluster, group: NodeGroup, { count, toRemove }: WantedNodes): SimulatedNodes => {
  const before = storedNodes(cluster, group)
  const goes = isNamed(cluster, group, toRemove)
  const kept = numbersOf(before).filter((number) => !goes(number))
  const others = Math.max(0, numbersOf(before).length - count - namedCount(cluster, group, toRemove))
  return grown(kept.slice(0, kept.length - others), before.next, count)
}
