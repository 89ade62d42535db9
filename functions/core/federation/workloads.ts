import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import { InvalidRequest } from '../errors.ts'
import type { DesiredWorkloads } from '../operation/operation.ts'

/** @throws InvalidRequest where the driver brings no workloads into members, so that there is nothing to keep or delete */
export const requireWorkloads = (
  { id, capabilities }: Pick<FederationDriverDescription, 'id' | 'capabilities'>,
  desired: DesiredWorkloads,
): void => {
  if (desired === undefined || capabilities.workloads) return
  throw new InvalidRequest(
    `"workloads" has no meaning for this federation: its driver ${id} brings no workloads into members. Leave it out.`,
  )
}
