export const ON_UNHEALTHY = ['keep', 'cordon', 'unjoin'] as const
export const ON_HEALTHY = ['rejoin', 'nothing'] as const

/** Seconds, and a week at most: as long as an outage that somebody waits out. */
export const AFTER_SECONDS = { default: 300, max: 604_800 } as const

/** What becomes of members whose cluster is unhealthy. */
export type HealthPolicy = {
  /** `cordon`: no new workloads go there; `unjoin`: it leaves. */
  onUnhealthy: (typeof ON_UNHEALTHY)[number]
  /** Seconds that the cluster has to be UNHEALTHY without interruption. */
  afterSeconds: number
  /** Of one that left: it joins again, or stays out until somebody adds it. */
  onHealthy: (typeof ON_HEALTHY)[number]
}

/** Of a federation that nobody said anything of. */
export const DEFAULT_HEALTH_POLICY: HealthPolicy = {
  onUnhealthy: 'keep',
  afterSeconds: AFTER_SECONDS.default,
  onHealthy: 'rejoin',
}

/** What becomes of a federation's members that are unhealthy. */
export const healthPolicyOf = ({
  healthPolicy = DEFAULT_HEALTH_POLICY,
}: {
  healthPolicy?: HealthPolicy
}): HealthPolicy => healthPolicy

/** A member that left because it was unhealthy. Kept until it is a member again, or somebody adds or dismisses it. */
export type LeftUnhealthy = {
  clusterId: string
  /** uid of its `kube-system`: only the same cluster joins again. */
  uid: string | null
  /** ISO-8601 UTC. */
  since: string
  /** As the membership's. */
  selectedBy?: string
  /** It is of another project: a grant has to give it again. */
  isLent?: true
}
