import { Secret } from '../../../../core/values/secret.ts'
import type { FederationContext } from '../../../contract/federation-driver.ts'
import type { StepResult } from '../../../contract/phase.ts'
import { optionsOf } from './play.ts'

/** Name of the sealed document. */
const CERTIFICATES = 'certificates'

/** What the document says: which set of certificates it is, and in which rotation it was made. */
type Certificates = { serial: number; madeIn: string | null }

const read = async ({ sealed }: FederationContext): Promise<Certificates | undefined> => {
  const secret = await sealed(CERTIFICATES)
  return secret === undefined ? undefined : (JSON.parse(secret.reveal()) as Certificates)
}

/** Renewal is due after two thirds of their life. */
const renewAfter = (context: FederationContext): string | null => {
  const lifetime = optionsOf(context)['memory-certificate-seconds']
  return lifetime === undefined
    ? null
    : new Date(Date.parse(context.now()) + Math.ceil((lifetime * 2) / 3) * 1000).toISOString()
}

const made = (context: FederationContext, certificates: Certificates): Partial<StepResult> => ({
  sealed: { [CERTIFICATES]: new Secret(JSON.stringify(certificates)) },
  renewAfter: renewAfter(context),
})

/** Certificates for a control plane that has none. */
export const firstCertificates = async (context: FederationContext): Promise<Partial<StepResult>> =>
  (await read(context)) === undefined ? made(context, { serial: 1, madeIn: null }) : {}

/** New ones in the place of the old, once in each rotation. */
export const nextCertificates = async (context: FederationContext): Promise<Partial<StepResult>> => {
  const before = await read(context)
  const rotation = context.federation.operation?.id ?? null
  return before !== undefined && before.madeIn === rotation
    ? {}
    : made(context, { serial: (before?.serial ?? 0) + 1, madeIn: rotation })
}

/** Forgets them. */
export const noCertificates: Partial<StepResult> = { sealed: { [CERTIFICATES]: null }, renewAfter: null }
