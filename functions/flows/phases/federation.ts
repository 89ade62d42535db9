import type { Cluster } from '../../core/cluster/cluster.ts'
import { secondsForHost } from '../../core/federation/created-host.ts'
import type { Federation } from '../../core/federation/federation.ts'
import { namespaceClaims } from '../../core/federation/new-federation.ts'
import { leave } from '../../core/membership/begin-operation.ts'
import { faultOf, isProgressing, type Membership } from '../../core/membership/membership.ts'
import { DEADLINE_SECONDS } from '../../core/operation/deadlines.ts'
import type { Operation } from '../../core/operation/operation.ts'
import { openFederation, type Target, type WithOperation } from '../../core/operation/subjects.ts'
import { counted, withoutFullStop } from '../../core/values/wording.ts'
import { PreflightFailed } from '../../drivers/contract/errors.ts'
import type { FederationContext, FederationDriver, Finding } from '../../drivers/contract/federation-driver.ts'
import type { Phase, StepResult } from '../../drivers/contract/phase.ts'
import { changeFederation } from '../entities/federation-results.ts'
import type { BoundPhase, PhaseResult } from '../loop.ts'
import { HostNotCreated, MembersNotRemoved, type StepPorts } from '../step.ts'

/** An outage of some seconds passes; a host that is gone ends the create after a minute. */
const PREFLIGHT_SECONDS = 60

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
  deadlineSeconds: PREFLIGHT_SECONDS,
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

const notCreated = ({ name, id, status, statusReason }: Cluster): HostNotCreated =>
  new HostNotCreated(
    `The host cluster ${name} (${id}) could not be created: ${withoutFullStop(statusReason ?? `it is ${status}`)}.`,
  )

const hostOf = async ({ stores }: StepPorts, { projectId, hostClusterId: id }: Federation): Promise<Cluster> => {
  const host = await stores.clusters.get({ projectId, id })
  if (host !== undefined) return host
  throw new HostNotCreated(`The host cluster ${id} is gone. Create the federation anew.`)
}

/** What the host's own flow waits for, which is one progress with ours. */
const awaited = ({ name, statusReason }: Cluster): PhaseResult => ({
  done: false,
  waitingFor: `the host cluster ${name}${statusReason ? `: ${withoutFullStop(statusReason)}` : ' to be created'}`,
})

/**
 * First phase of the create of a federation whose host is created with it: waits for the host's own flow. Then the federation's namespaces in it are claimed
 * and the host counts as ready in one commit; before that nothing of the federation is in it. Undo leaves the host to the end of the flow.
 */
export const hostPhase = (
  ports: StepPorts,
  target: Target,
  { operation }: Pick<WithOperation<Federation>, 'operation'>,
): BoundPhase => ({
  id: 'host',
  title: 'host cluster',
  deadlineSeconds: secondsForHost(operation),
  ensure: async () => {
    const federation = await openFederation(ports, target)
    const { createdHost } = federation
    if (createdHost?.state !== 'pending') return { done: true }
    const host = await hostOf(ports, federation)
    if (host.status === 'CREATE_IN_PROGRESS') return awaited(host)
    if (host.status === 'CREATE_FAILED' || host.status.startsWith('DELETE_')) throw notCreated(host)
    await ports.stores.integrity.requireCluster(host)
    const driver = ports.drivers.federation.resolve(federation.driver)
    await changeFederation(
      ports,
      target,
      () => ({ createdHost: { ...createdHost, state: 'ready' } }),
      async (read) => namespaceClaims(ports.stores, host, read, driver.hostNamespaces(read)),
    )
    // Something to carry ends the step: what it has open of the host is of before there was an API server.
    return { done: true, carried: { host: host.id } }
  },
})

/** Id of the phase. */
export const UNJOIN_MEMBERS = 'unjoin-members'

/** Names in a message before it says "and 7 more". */
const NAMES_MAX = 10

const names = (memberships: readonly Membership[]): string => {
  const shown = memberships.slice(0, NAMES_MAX).map((membership) => membership.memberName)
  const more = memberships.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const notRemoved = (failed: readonly Membership[]): MembersNotRemoved => {
  const faults = failed.map((membership) => {
    const fault = faultOf(membership)
    return fault === undefined
      ? membership.memberName
      : `${membership.memberName} (${fault.reason}: ${withoutFullStop(fault.message)})`
  })
  return new MembersNotRemoved(`Members could not be unjoined: ${faults.join('; ')}.`)
}

/**
 * First phase of a federation's delete: every member leaves, each with its own execution; those that never got in are dismissed. Over
 * when no membership is left. Members that fail to leave in this delete end it; those that failed earlier are tried again.
 *
 * @throws MembersNotRemoved when nothing moves any more and members failed to leave
 */
export const unjoinMembersPhase = (ports: StepPorts, operation: Operation): Phase<FederationContext> => ({
  id: UNJOIN_MEMBERS,
  title: 'unjoin members',
  deadlineSeconds: 2 * DEADLINE_SECONDS['member-unjoin'],
  ensure: async ({ federation }): Promise<StepResult> => {
    const { id: changeId, force, workloads } = operation
    const request = { changeId, force, workloads }
    const before = await ports.stores.memberships.listOf(federation)
    await Promise.all(before.map((membership) => leave(ports, membership, request)))
    const left = await ports.stores.memberships.listOf(federation)
    if (left.length === 0) return { done: true }
    if (!left.some(isProgressing)) throw notRemoved(left)
    return { done: false, waitingFor: `${counted(left.length, 'member')} to leave: ${names(left)}` }
  },
})
