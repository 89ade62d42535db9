import {
  isLabelValue,
  isQualifiedName,
  LABEL_VALUE_RULE,
  prefixOf,
  QUALIFIED_NAME_RULE,
} from '../values/kubernetes-syntax.ts'
import type { Labels } from '../values/labels.ts'
import { quoteUpTo } from '../values/wording.ts'

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
