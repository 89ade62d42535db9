import { AppError } from '../../core/values/app-error.ts'

/** Limits, labels or taints that a node group can't have: 409 in Magnum, where other input errors are 400 (magnum-rest.md section 6). */
export class NodeGroupInvalid extends AppError {
  override readonly name = 'NodeGroupInvalid'
  readonly kind = 'conflict'
}

/** The cluster has a node group of this name. */
export class NodeGroupNameTaken extends AppError {
  override readonly name = 'NodeGroupNameTaken'
  readonly kind = 'conflict'
}
