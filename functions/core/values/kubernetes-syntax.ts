/** Syntax of Kubernetes' names, label keys, label values and taint keys (API machinery, "Object Names and IDs", "Labels and Selectors"). */

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/
const DNS_NAME_MAX = 253
/** RBAC names are path segments: wider than DNS names, since `system:…` and capitals are in use. */
const ROLE_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9._:]{0,251}[A-Za-z0-9])?$/

/** What a qualified name must look like; completes a sentence. */
export const QUALIFIED_NAME_RULE =
  'must be a name of 1 to 63 letters, digits, "-", "_" and ".", beginning and ending with a letter or digit, which may follow a DNS name and "/"'

/** What a label value must look like; completes a sentence. */
export const LABEL_VALUE_RULE =
  'must be empty, or 1 to 63 letters, digits, "-", "_" and ".", beginning and ending with a letter or digit'

/** True for an RFC 1123 label of at most 63 characters: names of namespaces, Services and members. */
export const isDnsLabel = (text: string): boolean => DNS_LABEL.test(text)

/** True for labels with dots between them, at most 253 characters in all. */
export const isDnsName = (text: string): boolean => text.length <= DNS_NAME_MAX && text.split('.').every(isDnsLabel)

/** The part before the slash; empty when there is none. */
export const prefixOf = (key: string): string => (key.includes('/') ? key.slice(0, key.indexOf('/')) : '')

/** True for what a ClusterRole may be called. */
export const isRoleName = (text: string): boolean => ROLE_NAME.test(text)

/** True for `name` and `dns.prefix/name`: keys of labels and taints. */
export const isQualifiedName = (key: string): boolean => {
  const [first = '', second, ...more] = key.split('/')
  if (second === undefined) return NAME.test(first)
  return more.length === 0 && isDnsName(first) && NAME.test(second)
}

export const isLabelValue = (text: string): boolean => text === '' || NAME.test(text)
