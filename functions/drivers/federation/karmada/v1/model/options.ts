import { AppError } from '../../../../../core/values/app-error.ts'

/** How long the driver waits for controllers that may not run, and how long its certificates last. Tests shorten it. */
export type KarmadaOptions = {
  /** Seconds for the namespace controller to begin. Default 12: it waits 5 s on purpose, the rest is for a slow one. */
  namespaceTimeoutSeconds: number
  /** Seconds for a member's token controller to fill a Secret before a token is requested instead. Default 5. */
  tokenTimeoutSeconds: number
  /** Seconds during which a fresh token may still be refused (clocks differ, caches). Default 5. */
  proofTimeoutSeconds: number
  /** Seconds that the certificates of servers and components last. Default a year, as upstream's. */
  leafLifetimeSeconds: number
  /** Seconds for Karmada to give up a Work of a leaving member before we take its finalizer off. Default 4. */
  workTimeoutSeconds: number
  /** Seconds after a member's token changed until karmada-controller-manager is restarted, so that one restart serves many. Default 15. */
  restartSettleSeconds: number
  /** Least seconds between two such restarts. Default 120. */
  restartIntervalSeconds: number
}

const YEAR_SECONDS = 365 * 86_400

export const DEFAULT_OPTIONS: KarmadaOptions = {
  namespaceTimeoutSeconds: 12,
  tokenTimeoutSeconds: 5,
  proofTimeoutSeconds: 5,
  leafLifetimeSeconds: YEAR_SECONDS,
  workTimeoutSeconds: 4,
  restartSettleSeconds: 15,
  restartIntervalSeconds: 120,
}

/** The host has no StorageClass for etcd's volumes. */
export class StorageClassMissing extends AppError {
  override readonly name = 'StorageClassMissing'
  readonly kind = 'conflict'
}

/** The API server of the control plane can't be given an address in this host. */
export class AddressUnavailable extends AppError {
  override readonly name = 'AddressUnavailable'
  readonly kind = 'conflict'
}

/** An image of the control plane is not to be had, and the kubelet has tried for minutes. */
export class ImageNotPulled extends AppError {
  override readonly name = 'ImageNotPulled'
  readonly kind = 'unavailable'
}

/** Another Karmada has the member by the same name. */
export class MemberNameTaken extends AppError {
  override readonly name = 'MemberNameTaken'
  readonly kind = 'conflict'
}
