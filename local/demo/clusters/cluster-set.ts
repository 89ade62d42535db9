/** A cluster that the demo and the end-to-end tests register: one context of a kubeconfig. */
export type DemoCluster = {
  /** RFC 1123 label. */
  name: string
  /** Text with everything in it. */
  kubeconfig: string
  /** The context to use in it. */
  context: string
}

/** Where clusters come from. */
export type ClusterKind = 'kubeconfig' | 'started' | 'simulated'

/** Clusters taken for a while. `close` gives them back: stops what was started, leaves alone what was not. */
export type ClusterSet<C extends DemoCluster = DemoCluster> = {
  kind: ClusterKind
  /** For people: what kind they are, and how that was chosen. */
  description: string
  clusters: C[]
  /** What the clusters write, while they run; null where it is not ours. */
  logDirectory: string | null
  /** Can be called twice. `keepLogs` leaves the log directory. */
  close(options?: { keepLogs?: boolean }): Promise<void>
}

/** Clusters can't be had, and why. The message is for people. */
export class ClustersUnavailable extends Error {
  override readonly name = 'ClustersUnavailable'
}
