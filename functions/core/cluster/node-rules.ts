import { isLabelValue, isQualifiedName, LABEL_VALUE_RULE, prefixOf, QUALIFIED_NAME_RULE } from '../values/kubernetes.ts'
import type { Labels } from '../values/labels.ts'
import { quoteUpTo } from '../values/wording.ts'
import { isMaster, type NodeGroup, type NodeTaint, TAINT_EFFECTS } from './node-group.ts'

/** Prefixes that belong to Kubernetes, subdomains included. */
const RESERVED = ['kubernetes.io', 'k8s.io']

/** Reserved labels that a kubelet may set on its own node (Kubernetes, k8s.io/kubelet `KubeletLabels`); others keep it from starting. */
const KUBELET_LABELS: readonly string[] = [
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]

/** Reserved prefixes under which it may set any (`KubeletLabelNamespaces`), subdomains included. */
const KUBELET_PREFIXES = ['kubelet.kubernetes.io', 'node.kubernetes.io']

const isWithin = (prefix: string, domains: readonly string[]): boolean =>
  domains.some((domain) => prefix === domain || prefix.endsWith(`.${domain}`))

/** True when a node may carry the label by its own kubelet. */
const isAllowed = (key: string): boolean => {
  const prefix = prefixOf(key)
  return !isWithin(prefix, RESERVED) || KUBELET_LABELS.includes(key) || isWithin(prefix, KUBELET_PREFIXES)
}

const shown = (text: string): string => quoteUpTo(320, text)

const faultOf = (key: string, value: string): string[] => {
  if (!isQualifiedName(key)) return [`The key ${shown(key)} in "node_labels" ${QUALIFIED_NAME_RULE}.`]
  if (!isAllowed(key)) {
    return [
      `The key ${shown(key)} in "node_labels" is reserved: under "kubernetes.io" and "k8s.io" a node may set only ${KUBELET_LABELS.join(', ')}, and keys under ${KUBELET_PREFIXES.join(' and ')}.`,
    ]
  }
  return isLabelValue(value) ? [] : [`The value of ${shown(key)} in "node_labels" ${LABEL_VALUE_RULE}.`]
}

/** What is wrong with labels for Kubernetes nodes, one sentence per fault (magnum-rest.md 6). */
export const nodeLabelFaults = (labels: Labels): string[] =>
  Object.entries(labels).flatMap(([key, value]) => faultOf(key, value))

/** Fewest and most nodes of a group; no most: no limit. */
type NodeLimits = Pick<NodeGroup, 'minNodeCount' | 'maxNodeCount'>

/** Magnum's 0 as most means no limit (magnum-rest.md 6); it is stored and shown as given. */
const mostOf = ({ maxNodeCount }: NodeLimits): number =>
  maxNodeCount === null || maxNodeCount === 0 ? Number.POSITIVE_INFINITY : maxNodeCount

/** What is wrong with limits alone, as a sentence; null when nothing is. */
export const limitsFault = (limits: NodeLimits): string | null =>
  limits.minNodeCount <= mostOf(limits)
    ? null
    : `"min_node_count" is ${limits.minNodeCount} and "max_node_count" is ${limits.maxNodeCount}; the first must not be larger than the second.`

/** What is wrong with a number of nodes, as a sentence; null when it is within the limits. */
export const countFault = (nodeCount: number, limits: NodeLimits): string | null => {
  const { minNodeCount, maxNodeCount } = limits
  if (nodeCount < minNodeCount)
    return `"node_count" is ${nodeCount}; it must be at least "min_node_count", ${minNodeCount}.`
  if (nodeCount > mostOf(limits))
    return `"node_count" is ${nodeCount}; it must be at most "max_node_count", ${maxNodeCount}.`
  return null
}

/** The number within the limits that is nearest. The limits must have no fault. */
export const withinLimits = (nodeCount: number, limits: NodeLimits): number =>
  Math.min(Math.max(nodeCount, limits.minNodeCount), mostOf(limits))

/** The default group of a cluster's workers: what a resize that names none is about. */
export const defaultWorkerOf = (groups: readonly NodeGroup[]): NodeGroup | undefined =>
  groups.find((group) => group.isDefault && !isMaster(group))

/** A taint as a request has it. */
export type GivenTaint = { key?: string | undefined; value?: string | undefined; effect?: string | undefined }

const effectOf = (text: string | undefined): NodeTaint['effect'] | undefined =>
  TAINT_EFFECTS.find((effect) => effect === text)

const idOf = ({ key, effect }: GivenTaint): string => JSON.stringify([key, effect])

const faultsOf = (taint: GivenTaint, where: string): string[] => {
  const { key, value, effect } = taint
  const faults: string[] = []
  if (key === undefined || !isQualifiedName(key)) faults.push(`The key of ${where} ${QUALIFIED_NAME_RULE}.`)
  if (value !== undefined && !isLabelValue(value)) faults.push(`The value of ${where} ${LABEL_VALUE_RULE}.`)
  if (effectOf(effect) === undefined) faults.push(`The effect of ${where} must be one of ${TAINT_EFFECTS.join(', ')}.`)
  return faults
}

/** What is wrong with taints for Kubernetes nodes, one sentence per fault (magnum-rest.md 6): no two have the same key and effect. */
export const taintFaults = (taints: readonly GivenTaint[]): string[] =>
  taints.flatMap((taint, index) => {
    const where = `entry ${index + 1} of "node_taints"`
    const earlier = taints.findIndex((other) => idOf(other) === idOf(taint))
    if (earlier === index) return faultsOf(taint, where)
    return [`The key and effect of ${where} are those of entry ${earlier + 1}; Kubernetes allows each pair once.`]
  })

/** Taints without faults, with their exact types; those with faults are left out. */
export const taintsOf = (taints: readonly GivenTaint[]): NodeTaint[] =>
  taints.flatMap(({ key, value, effect: text }) => {
    const effect = effectOf(text)
    if (key === undefined || effect === undefined) return []
    return [{ key, ...(value === undefined ? {} : { value }), effect }]
  })
