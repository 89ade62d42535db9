/** One scheduled worker, as `GET /v1/mservices` shows it. */
export type Heartbeat = {
  /** From 1, in the order in which they first reported. */
  number: number
  /** Which worker: `reconciler`, `health-sweep`, `renewals`. */
  host: string
  reportCount: number
  createdAt: string
  /** When it last reported. */
  updatedAt: string
}

/** Signs of life of the scheduled workers. */
export interface HeartbeatStore {
  /** Notes that a worker ran now. */
  beat(host: string): Promise<void>
  /** All that ever reported, by `number`. */
  list(): Promise<Heartbeat[]>
}
