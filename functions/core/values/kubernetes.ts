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

/** A version of Kubernetes as people write it; a suffix such as `-rancher1-1` is kept and not compared. */
export const KUBERNETES_VERSION = /^v?(\d{1,3})\.(\d{1,3})\.(\d{1,3})([-+][\w.+-]{1,40})?$/

/** With the leading `v` that Kubernetes itself writes. */
export const withV = (version: string): string => (version.startsWith('v') ? version : `v${version}`)

const numbersOf = (version: string): [number, number, number] => {
  const [, major, minor, patch] = KUBERNETES_VERSION.exec(version) ?? []
  return [Number(major), Number(minor), Number(patch)]
}

/** True when the first differing number is smaller. */
export const isOlderVersion = (version: string, than: string): boolean => {
  const [a, b] = [numbersOf(version), numbersOf(than)]
  const at = a.findIndex((part, index) => part !== b[index])
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0)
}

/** True when a control plane can't go from one to the other at once: another major version, or more than one minor version up. */
export const skipsMinor = (from: string, to: string): boolean => {
  const [[fromMajor, fromMinor], [major, minor]] = [numbersOf(from), numbersOf(to)]
  return major !== fromMajor || minor > fromMinor + 1
}

/** Namespaces of Kubernetes, of Karmada and of fedplane itself: whoever changes something there has their accounts. */
export const isReservedNamespace = (namespace: string): boolean => /^(?:kube|karmada|fedplane)-/.test(namespace)
