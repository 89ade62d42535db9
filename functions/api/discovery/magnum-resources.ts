/** Collections of the Magnum API, as `GET /v1` lists them (magnum-rest.md 1.2): also those that fedplane does not have. */
export const MAGNUM_COLLECTIONS: readonly string[] = [
  'clustertemplates',
  'clusters',
  'quotas',
  'certificates',
  'mservices',
  'stats',
  'federations',
  'credentials',
]

/** What Magnum has under one cluster (magnum-rest.md sections 4.5, 4.6 and 6). */
const OF_A_CLUSTER: readonly string[] = ['nodegroups', 'actions']

/**
 * True when Magnum has a resource at the path that nothing here serves.
 *
 * @param path segments, beginning with `v1`
 * @param served collections that have routes
 */
export const isMagnumPath = (
  [, collection = '', , word = '']: readonly string[],
  served: ReadonlySet<string>,
): boolean =>
  served.has(collection)
    ? collection === 'clusters' && OF_A_CLUSTER.includes(word)
    : MAGNUM_COLLECTIONS.includes(collection)
