/** Longest member name: leaves 15 characters for prefixes within the 63 of a DNS label (`karmada-es-` and the like). */
export const MEMBER_NAME_MAX = 48

/** FNV-1a, 32 bit, as 7 base-36 digits: enough to tell names apart that became equal, and no dependency. */
const hash = (text: string): string => {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0
  return value.toString(36).padStart(7, '0')
}

const clean = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')

/**
 * The name of a cluster at a control plane: an RFC 1123 label of at most 48 characters, the cluster's own name where that is
 * one already and is free; otherwise cleaned, cut and made distinct with a hash of cluster id and name.
 *
 * @param taken names in use in the federation, and others that it must not be
 * @param salt makes the name distinct from those that the cluster gets with another one: the federation's id
 */
export const memberNameFor = (cluster: { id: string; name: string }, taken: ReadonlySet<string>, salt = ''): string => {
  const cleaned = clean(cluster.name)
  if (cleaned === cluster.name && cleaned.length <= MEMBER_NAME_MAX && !taken.has(cleaned)) return cleaned
  const suffix = hash([cluster.id, cluster.name, ...(salt === '' ? [] : [salt])].join('/'))
  const room = MEMBER_NAME_MAX - suffix.length - 1
  return `${(cleaned || 'cluster').slice(0, room).replace(/-+$/, '')}-${suffix}`
}
