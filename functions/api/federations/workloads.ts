import * as z from 'zod'
import type { WorkloadsWish } from '../../core/operation/operation.ts'
import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import { InvalidRequest } from '../errors.ts'

/** `?workloads=`: what an unjoin does with the workloads that the federation brought into the member. Absent: they stay. */
export const workloads = z.enum(['keep', 'delete'], { error: 'must be "keep" or "delete"' }).optional()

/** @throws InvalidRequest where the driver brings no workloads into members, so that there is nothing to keep or delete */
export const requireWorkloads = (
  { id, capabilities }: Pick<FederationDriverDescription, 'id' | 'capabilities'>,
  desired: WorkloadsWish,
): void => {
  if (desired === undefined || capabilities.workloads) return
  throw new InvalidRequest(
    `"workloads" has no meaning for this federation: its driver ${id} brings no workloads into members. Leave it out.`,
  )
}
