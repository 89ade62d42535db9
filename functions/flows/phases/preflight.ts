import { withoutFullStop } from '../../core/values/wording.ts'
import { PreflightFailed } from '../../drivers/contract/errors.ts'
import type { FederationContext, FederationDriver, Finding } from '../../drivers/contract/federation-driver.ts'
import type { Phase } from '../../drivers/contract/phase.ts'

/** An outage of some seconds passes; a host that is gone ends the create after a minute. */
const DEADLINE_SECONDS = 60

const inWords = (findings: readonly Finding[]): string =>
  findings.map(({ reason, message }) => `${reason}: ${message}`).join(' ')

/**
 * First phase of a federation's create: the driver's preflight of the host, so that what can be known beforehand ends the create before anything is
 * made. Over at once when something is made already: then it was passed, and the host is as the create left it.
 *
 * @throws PreflightFailed listing every finding that refuses
 */
export const preflightPhase = (driver: Pick<FederationDriver, 'checkHost'>): Phase<FederationContext> => ({
  id: 'preflight',
  title: 'preflight of the host',
  deadlineSeconds: DEADLINE_SECONDS,
  ensure: async (context) => {
    if (context.federation.made.length > 0) return { done: true }
    const { findings } = await driver.checkHost(context)
    const errors = findings.filter(({ severity }) => severity === 'error')
    const final = errors.filter(({ retryable }) => retryable !== true)
    if (final.length > 0) throw new PreflightFailed(`Nothing was made. ${inWords(errors)}`)
    if (errors.length === 0) return { done: true }
    return { done: false, waitingFor: `the host to be fit: ${withoutFullStop(inWords(errors))}` }
  },
})
