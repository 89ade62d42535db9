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
