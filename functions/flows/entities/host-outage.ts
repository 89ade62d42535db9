import { ClusterGone } from '../../core/errors.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { CredentialMissing } from '../../drivers/contract/errors.ts'
import type { StepResult } from '../../drivers/contract/phase.ts'
import {
  AddressForbidden,
  ClusterIdentityChanged,
  ConnectFailed,
  ConnectTimedOut,
  CredentialRejected,
  DnsLookupFailed,
  NotKubernetes,
  RequestTimedOut,
  TlsVerificationFailed,
} from '../../kubernetes/errors.ts'
import { PhaseNotTried } from '../errors.ts'

/** Faults that every call to the host meets. A 5xx is none: it may be about one kind of objects only. */
const OUT_OF_REACH = [
  AddressForbidden,
  ClusterGone,
  ClusterIdentityChanged,
  ConnectFailed,
  ConnectTimedOut,
  CredentialMissing,
  CredentialRejected,
  DnsLookupFailed,
  NotKubernetes,
  RequestTimedOut,
  TlsVerificationFailed,
]

type Act = () => Promise<StepResult>

/**
 * Runs phases that all work in one host. Where faults are passed over (undo, and deletes by force) the first phase that is given up because the host is
 * out of reach is the last that is tried: one wait in place of one for each phase. A phase that comes after it in the same step throws PhaseNotTried.
 */
export const inOneHost = (): ((act: Act) => Promise<StepResult>) => {
  // A phase that is to be tried again ends its step: what comes after a fault in the same step is another phase.
  let isLost = false
  return async (act) => {
    if (isLost) throw new PhaseNotTried('The host is out of reach.')
    try {
      return await act()
    } catch (error) {
      isLost = isAppError(error) && OUT_OF_REACH.some((kind) => error instanceof kind)
      throw error
    }
  }
}
