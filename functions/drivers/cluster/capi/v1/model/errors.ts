import { AppError } from '../../../../../core/values/app-error.ts'

/** Cluster API could not make the cluster, or what was changed of it, and goes on trying; the message has its words. */
export class ClusterNotReady extends AppError {
  override readonly name = 'ClusterNotReady'
  readonly kind = 'unavailable'
}

/** What a name of ours belongs to in the management cluster is not ours, or was changed since we made it. */
export class ManagementObjectChanged extends AppError {
  override readonly name = 'ManagementObjectChanged'
  readonly kind = 'conflict'
}

/** The operator of the management cluster does not keep an addon that the cluster needs. */
export class AddonMissing extends AppError {
  override readonly name = 'AddonMissing'
  readonly kind = 'conflict'
}

/** Cluster API does not know the class that clusters are made from, so its admission would let anything pass. */
export class ClassNotReady extends AppError {
  override readonly name = 'ClassNotReady'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** Neither the cluster nor its template says which Kubernetes version it is to run. */
export class KubernetesVersionMissing extends AppError {
  override readonly name = 'KubernetesVersionMissing'
  readonly kind = 'conflict'
}
