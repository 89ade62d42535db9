/** Paths of node groups. */
export const COLLECTION = '/v1/clusters/{cluster}/nodegroups'
export const ITEM = `${COLLECTION}/{nodegroup}` as const

/** Minor version with which they came (magnum-rest.md 1.4). */
export const SINCE = 9
