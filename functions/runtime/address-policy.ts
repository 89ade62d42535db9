import { type AddressPolicy, restrictedPolicy } from '../kubernetes/address-guard.ts'
import type { WorkerEnv } from './env.ts'

/** Which addresses may be connected to on AWS: public ones, and the networks that the operator lists. @throws for text that is no CIDR */
export const addressPolicy = ({ ALLOWED_NETWORKS }: Pick<WorkerEnv, 'ALLOWED_NETWORKS'>): AddressPolicy =>
  restrictedPolicy(
    ALLOWED_NETWORKS.split(',')
      .map((network) => network.trim())
      .filter((network) => network !== ''),
  )
