import { AppError } from '../../../../core/values/app-error.ts'

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
