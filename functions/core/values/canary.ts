/** Seconds of a run of the canary, and those after a failure in which what it made is removed. Its function has a little more. */
export const CANARY_SECONDS = { walk: 300, afterwards: 120 } as const

/**
 * Drivers that the canary uses: they need nothing of a cluster but its API, and are those of customers. `memory@1` needs no clusters, but
 * would have to be enabled for everybody, and would prove little.
 */
export const CANARY_DRIVERS = { cluster: 'external@1', federation: 'clusterprofile@1' } as const
