import type { HealthStatus } from '../cluster/cluster.ts'
import type { RightsLevel } from '../values/identity.ts'
import type { Status } from '../values/status.ts'

/** Which clusters of the project are wanted; what is absent does not matter. */
export type ClusterSelector = {
  /** In kubectl's syntax. */
  labels?: string
  /** Id of the cluster's driver. */
  driver?: string
  healthStatus?: HealthStatus
  status?: Status
  /** A range of versions of Kubernetes. */
  version?: string
}

/** Whose word selects: decided when the selector was set, since nobody is there when a cluster changes (decision 0041). */
export type SelectorConsent = {
  userId: string
  /** Rights in a member that they were asked for. */
  rights: RightsLevel
  /** Whose clusters they may have joined with these: those that they made, or all of the project. */
  clusters: 'own' | 'all'
}

/** What a federation follows. */
export type MemberSelector = {
  /** Stays when the selector is replaced: members that it brought name it. */
  id: string
  wanted: ClusterSelector
  /** Members that may leave at a time. */
  maxUnavailable: number
  /** Members at most; null: no limit. */
  memberLimit: number | null
  consent: SelectorConsent
}

/** What becomes of it, changed by whoever follows it. */
export type Selection = {
  /** Clusters that somebody removed: they are not selected until they are added again. */
  excluded: readonly string[]
  /** Members that left in the minute that began then (ISO-8601 UTC). */
  minute: { since: string; left: number } | null
  /** Clusters that would leave; null: nothing is held. */
  held: number | null
  /** What was held was let go, until nothing waits to leave. */
  isReleased: boolean
}

/** Before anything was selected. */
export const NO_SELECTION: Selection = { excluded: [], minute: null, held: null, isReleased: false }
