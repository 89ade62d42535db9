import type { MemberObservation } from '../../drivers/contract/federation-driver.ts'
import type { MemberWarning } from './membership.ts'

/** What the control plane says about a ready member besides that it is ready; null when nothing. */
export const warningOf = ({ reason, message }: Extract<MemberObservation, { state: 'ready' }>): MemberWarning | null =>
  reason === undefined ? null : { reason, message: message ?? '' }
