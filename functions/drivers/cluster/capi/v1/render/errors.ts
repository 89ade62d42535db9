import { AppError } from '../../../../../core/values/app-error.ts'

/** Neither the cluster nor its template says which Kubernetes version it is to run. */
export class KubernetesVersionMissing extends AppError {
  override readonly name = 'KubernetesVersionMissing'
  readonly kind = 'conflict'
}
