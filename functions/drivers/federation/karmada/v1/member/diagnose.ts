import { isAppError } from '../../../../../core/values/app-error.ts'
import { withoutFullStop } from '../../../../../core/values/wording.ts'
import type { Connect, Connection } from '../../../../../kubernetes/client.ts'
import {
  AddressForbidden,
  ConnectFailed,
  ConnectTimedOut,
  CredentialRejected,
  DnsLookupFailed,
  PermissionDenied,
  RequestTimedOut,
  TlsVerificationFailed,
} from '../../../../../kubernetes/errors.ts'
import { whoAmI } from '../../../../support/who-am-i.ts'

/** Why a member does not work: what Karmada alone calls ClusterNotReachable. Reasons are those of the driver's README. */
export type Diagnosis = { reason: string; message: string }

const REASONS = [
  ['MemberCredentialRejected', CredentialRejected],
  ['MemberCredentialRejected', PermissionDenied],
  ['MemberTlsFailed', TlsVerificationFailed],
  ['MemberUnreachable', ConnectFailed],
  ['MemberUnreachable', ConnectTimedOut],
  ['MemberUnreachable', DnsLookupFailed],
  ['MemberUnreachable', RequestTimedOut],
  ['MemberUnreachable', AddressForbidden],
] as const

/** The kind of fault: credential, TLS, network, or the API itself. */
export const reasonFor = (error: unknown): string =>
  REASONS.find(([, type]) => error instanceof type)?.[0] ?? 'MemberApiFailing'

const look = async (connect: Connect, connection: Connection): Promise<Diagnosis | null> => {
  const client = connect(connection)
  try {
    await whoAmI(client)
    const { status } = await client.raw('/readyz')
    return status === 200
      ? null
      : { reason: 'MemberApiFailing', message: `GET /readyz of the member answers ${status}.` }
  } finally {
    client.close()
  }
}

/**
 * Looks at a member with the credential that the control plane has. `said` is what Karmada says of it, for the case that nothing is wrong from here.
 */
export const diagnose = async (connect: Connect, connection: Connection, said: string): Promise<Diagnosis> => {
  try {
    const found = await look(connect, connection)
    if (found !== null) return found
    const message =
      `Karmada says ${withoutFullStop(said)}, but the member answers from here with the same credential. If that lasts for ` +
      'more than a minute, see whether the pods of the host can reach its address.'
    return { reason: 'MemberUnreachableFromHost', message }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { reason: reasonFor(error), message: error.message }
  }
}
