import { takeOverLeft } from '../../core/membership/leftovers.ts'
import { nextToken, warningOf } from '../../core/membership/member-context.ts'
import type { Operation } from '../../core/operation/operation.ts'
import { PreflightFailed } from '../../drivers/contract/errors.ts'
import type { MemberObservation } from '../../drivers/contract/federation-driver.ts'
import { warningsIn } from '../../drivers/contract/phase.ts'
import { isTokenRefused } from '../../drivers/support/member/refused-token.ts'
import type { MemberPhase, MemberWork } from '../entities/membership.ts'
import { factsOf, notingMade, storeMade, storePrepared, storeRenewed } from '../entities/membership-results.ts'
import { NothingToRenew, TaskNotSupported } from '../step.ts'

/** Makes the member known to the control plane. */
const register = async (work: MemberWork) => {
  const result = await notingMade(work, () => work.driver.registerMember(work.context))
  await storeMade(work, result)
  return result
}

/** Takes the member out of the control plane. Never needs the member to be reachable. */
const deregister = ({ driver, context }: MemberWork) => driver.deregisterMember(context)

/** Removes what was made in the member. */
const clean = ({ driver, context }: MemberWork) => driver.cleanMember(context)

/** The driver's preflight; changes nothing. What a server asks patience for is waited for. @throws PreflightFailed listing every finding that refuses */
const check = async ({ ports, membership, driver, context }: MemberWork) => {
  if (!(await takeOverLeft(ports, membership))) {
    return { done: false, waitingFor: 'what was left in the cluster before to be removed' }
  }
  const { findings } = await driver.checkMember(context)
  const refusals = findings.filter((finding) => finding.severity === 'error')
  const said = refusals.map(({ reason, message }) => `${reason}: ${message}`).join(' ')
  if (refusals.some(({ passing }) => passing !== true)) throw new PreflightFailed(said)
  return refusals.length === 0
    ? { done: true }
    : { done: false, waitingFor: `a server that asks for patience: ${said}` }
}

/** Account, rights and a proved credential in the member, stored sealed. */
const prepare = async (work: MemberWork) => {
  const result = await notingMade(work, () => work.driver.prepareMember(work.context))
  await storePrepared(work, result)
  return result
}

const describe = (seen: MemberObservation): string =>
  seen.state === 'not-ready' ? `${seen.reason}: ${seen.message}` : 'the control plane to know it'

/** Until the control plane says that the member works; what works in part only is for the end of the join. */
const becomeReady = async ({ driver, context }: MemberWork) => {
  const seen = await driver.observeMember(context)
  if (seen.state !== 'ready') return { done: false, waitingFor: describe(seen) }
  return { done: true, carried: { warning: warningOf(seen) } }
}

/** The way of a cluster into a federation. Undo goes back: the control plane may need its rights in the member until it has let go of it. */
export const JOIN_PHASES: readonly MemberPhase[] = [
  { id: 'check', title: 'checking', ensure: check },
  { id: 'prepare', title: 'preparing', leavesIn: 'member', ensure: prepare, undo: clean },
  { id: 'register', title: 'registering', leavesIn: 'host', ensure: register, undo: deregister },
  { id: 'ready', title: 'becoming ready', ensure: becomeReady },
]

/**
 * The way out. With `force` a phase that fails is passed over, and without a registered cluster the last one: no further try could help.
 *
 * @param said what was said of workloads so far: of what the driver says only the first counts, since later calls no longer see all
 */
export const unjoinPhases = (said: readonly string[]): readonly MemberPhase[] => {
  let isSaid = said.length > 0
  return [
    {
      id: 'deregister',
      title: 'deregistering',
      leavesIn: 'host',
      ensure: async (work) => {
        const result = await deregister(work)
        const warnings = isSaid ? [] : warningsIn(result)
        isSaid ||= warnings.length > 0
        return { ...result, warnings }
      },
    },
    { id: 'clean', title: 'cleaning', leavesIn: 'member', isLenientWithoutMember: true, ensure: clean },
  ]
}

/**
 * A new, proved credential in the member, stored sealed beside the one in use. The driver sees no stored token (`memberToken()` is undefined)
 * until the new one is there.
 */
const renew = async (work: MemberWork) => {
  const { driver, context, membership } = work
  const result = await notingMade(work, () => driver.prepareMember(context))
  const { done, waitingFor, credential } = result
  if (!done) {
    await storeMade(work, result)
    return { done, ...(waitingFor !== undefined && { waitingFor }) }
  }
  if (credential === undefined)
    throw new NothingToRenew(`Driver ${driver.id} gave no new credential for ${membership.memberName}.`)
  await storeRenewed(work, result, credential)
  return { done, carried: { credential: factsOf(credential) } }
}

/** @throws TaskNotSupported */
const revoke = async (work: MemberWork) => {
  const { driver, context } = work
  if (driver.revokeMember === undefined)
    throw new TaskNotSupported(`Driver ${driver.id} can't make credentials worthless.`)
  const result = await driver.revokeMember(context)
  await storeMade(work, result)
  return result
}

/** Until the member itself refuses what it was given before: a server remembers a good token for some seconds. */
const proveRevoked = async ({ driver, context }: MemberWork) => {
  const credential = await context.memberToken()
  const tokens = credential === undefined ? [] : (driver.tokensIn?.(credential) ?? [])
  for (const token of tokens) {
    if (!(await isTokenRefused(context, token))) {
      return { done: false, waitingFor: `${context.member.cluster.name} to refuse the former credential` }
    }
  }
  return { done: true }
}

/** Another credential for the control plane. Undo registers the member with the one that stays, in case the new one was published. */
const RENEW_PHASES: readonly MemberPhase[] = [
  { id: 'renew', title: 'renewing the credential', tokenOf: nextToken, ensure: renew },
  {
    id: 'publish',
    title: 'publishing the credential',
    tokenOf: nextToken,
    ensure: register,
    undo: ({ driver, context }) => driver.registerMember(context),
  },
]

/**
 * Before that, where one may be known to somebody, all of before are made worthless, and proved to be. The control plane has no way into the member for
 * as long as that takes: a token that works on would be no revocation.
 */
const REVOKE_PHASES: readonly MemberPhase[] = [
  { id: 'revoke', title: 'revoking the credential', ensure: revoke },
  { id: 'prove', title: 'proving that it is refused', ensure: proveRevoked },
  ...RENEW_PHASES.map(({ undo: _, ...phase }) => phase),
]

export const rotatePhases = ({ revokes }: Pick<Operation, 'revokes'>): readonly MemberPhase[] =>
  revokes ? REVOKE_PHASES : RENEW_PHASES
