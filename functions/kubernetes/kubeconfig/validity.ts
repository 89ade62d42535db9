import type { ConnectionCredential } from '../client.ts'
import { KubeconfigRejected } from './kubeconfig-rejected.ts'

/** Clocks of clusters and of fedplane may differ by this much: 5 minutes in milliseconds (cases/PE-07, JN-19). */
const SLACK_MS = 5 * 60_000
/** A credential that ends sooner than this is taken with a warning: 14 days in milliseconds. */
const WARN_MS = 14 * 24 * 3_600_000

/** From when until when a credential is good; null where it says nothing. */
export type Validity = { notBefore: Date | null; notAfter: Date | null }

/** A credential and how long it is good. */
export type DatedCredential = { credential: ConnectionCredential; validity: Validity }

/** Time in ISO-8601 UTC without fractions, as certificates have it. */
export const isoSeconds = (date: Date): string => date.toISOString().replace(/\.\d{3}Z$/, 'Z')

/** @throws KubeconfigRejected `credential_expired`, `credential_not_yet_valid` with the date */
export const checkValidity = ({ notBefore, notAfter }: Validity, field: string, now: Date): void => {
  if (notAfter !== null && notAfter.getTime() < now.getTime() - SLACK_MS) {
    const at = isoSeconds(notAfter)
    throw new KubeconfigRejected(
      'credential_expired',
      `${field} of the kubeconfig expired at ${at}; send a newer one.`,
      {
        fields: [field],
        facts: { notAfter: at },
      },
    )
  }
  if (notBefore !== null && notBefore.getTime() > now.getTime() + SLACK_MS) {
    const at = isoSeconds(notBefore)
    throw new KubeconfigRejected(
      'credential_not_yet_valid',
      `${field} of the kubeconfig is valid from ${at} only; check the clocks.`,
      {
        fields: [field],
        facts: { notBefore: at },
      },
    )
  }
}

/** A warning for a credential that ends within 14 days. */
export const expiryWarnings = ({ notAfter }: Validity, now: Date): string[] =>
  notAfter !== null && notAfter.getTime() < now.getTime() + WARN_MS
    ? [`The credential expires at ${isoSeconds(notAfter)}; send a newer one before that (PATCH replace /kubeconfig).`]
    : []
