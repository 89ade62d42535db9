/** How long the driver waits for controllers that may not run. Tests shorten it. */
export type ClusterProfileOptions = {
  /** Seconds for the token controller to fill a Secret before a token is requested instead. Default 5. */
  tokenPatienceSeconds: number
  /** Seconds for the namespace controller to begin. Default 12: it waits 5 s on purpose, the rest is for a slow one. */
  namespacePatienceSeconds: number
  /** Seconds during which a fresh token may still be refused (clocks differ, caches). Default 5. */
  proofPatienceSeconds: number
}

export const DEFAULT_OPTIONS: ClusterProfileOptions = {
  tokenPatienceSeconds: 5,
  namespacePatienceSeconds: 12,
  proofPatienceSeconds: 5,
}
