/** Syntax of Kubernetes' label keys, label values and taint keys (API machinery, "Labels and Selectors"). */

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/
const PREFIX_MAX = 253

/** What a qualified name must look like; completes a sentence. */
export const QUALIFIED_NAME_RULE =
  'must be a name of 1 to 63 letters, digits, "-", "_" and ".", beginning and ending with a letter or digit, which may follow a DNS name and "/"'

/** What a label value must look like; completes a sentence. */
export const LABEL_VALUE_RULE =
  'must be empty, or 1 to 63 letters, digits, "-", "_" and ".", beginning and ending with a letter or digit'

const isDnsName = (text: string): boolean =>
  text.length <= PREFIX_MAX && text.split('.').every((label) => DNS_LABEL.test(label))

/** The part before the slash; empty when there is none. */
export const prefixOf = (key: string): string => (key.includes('/') ? key.slice(0, key.indexOf('/')) : '')

/** True for `name` and `dns.prefix/name`: keys of labels and taints. */
export const isQualifiedName = (key: string): boolean => {
  const [first = '', second, ...more] = key.split('/')
  if (second === undefined) return NAME.test(first)
  return more.length === 0 && isDnsName(first) && NAME.test(second)
}

export const isLabelValue = (text: string): boolean => text === '' || NAME.test(text)
