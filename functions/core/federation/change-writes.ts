import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { Write } from '../../store/write.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { isMember } from '../membership/membership.ts'
import { aboutOf, launchesOf, type MembershipStep, stepWrites } from '../membership/membership-steps.ts'
import { memberEvent, ownerEvent } from '../operation/events.ts'
import { type Launch, launch } from '../operation/launch.ts'
import type { TablePorts } from '../ports.ts'
import { namespaceClaims } from './new-federation.ts'
import type { ChangePlan } from './plan-change.ts'

/** Said of unjoins only, and by the first: all of a request are alike. */
const fateOfWorkloads = ({ steps }: ChangePlan): string =>
  steps.some((step) => step.kind === 'unjoin' && step.next.operation.workloads === 'delete')
    ? 'Their workloads are removed.'
    : ''

const WORDS = { join: 'Joining', unjoin: 'Unjoining', dismiss: 'Forgetting the failed join of' } as const

const changeOfProperties = ({ operation, federation }: ChangePlan): string => {
  if (operation === null) return ''
  return `Changing the properties${federation.operation === null ? '' : ', in place of the change that was running'}.`
}

const describe = (plan: ChangePlan): string => {
  const { steps } = plan
  const of = (kind: MembershipStep['kind']): string => {
    const names = steps.filter((step) => step.kind === kind).map((step) => aboutOf(step).memberName)
    return names.length === 0 ? '' : `${WORDS[kind]} ${names.join(', ')}.`
  }
  return [changeOfProperties(plan), of('join'), of('unjoin'), fateOfWorkloads(plan), of('dismiss')]
    .filter((text) => text !== '')
    .join(' ')
}

/**
 * One event per request, because 45 changes of two writes each leave no room for more. A request about one member only is that member's
 * event.
 */
const eventOf = (ports: TablePorts, plan: ChangePlan): Write => {
  const said = { outcome: 'pending', reason: 'Requested', message: describe(plan) } as const
  const [step] = plan.steps
  if (plan.operation !== null || plan.steps.length !== 1 || step === undefined) {
    return ownerEvent(ports, 'federation', plan.federation, { ...said, action: 'update' })
  }
  const { projectId, id: federationId } = plan.federation
  const revision = step.before?.revision ?? 0
  const membership = { projectId, federationId, clusterId: aboutOf(step).clusterId, revision }
  if (step.kind !== 'dismiss') return memberEvent(ports, membership, { ...said, action: step.kind })
  return memberEvent(ports, membership, { ...said, action: 'unjoin', outcome: 'success', reason: 'JoinDismissed' })
}

/** What new properties ask for besides what is claimed. */
const moreNamespaces = ({ federation, update }: ChangePlan, driver: FederationDriverDescription): string[] => {
  if (update.properties === undefined) return []
  const before = driver.hostNamespaces(federation)
  const after = driver.hostNamespaces({ id: federation.id, properties: update.properties })
  return after.filter((namespace) => !before.includes(namespace))
}

/** True when its cluster counts as a member from now on: also one whose failed join is cleaned up, until that is over. */
const isEntering = ({ before }: MembershipStep): boolean => before === null || !isMember(before)

/** Stores all of a plan in one transaction. @throws RevisionConflict: read again and decide again */
export const commitChange = (
  ports: TablePorts,
  plan: ChangePlan,
  driver: FederationDriverDescription,
  host: Pick<Cluster, 'identity'>,
): Promise<void> => {
  const { federation, steps, update } = plan
  const add = steps.flatMap((step) => ('next' in step && isEntering(step) ? [step.next.clusterId] : []))
  return ports.stores.commit([
    ports.stores.federations.change(federation, update, { add }),
    ...steps.flatMap((step) => stepWrites(ports, step)),
    ...namespaceClaims(ports.stores, host, federation, moreNamespaces(plan, driver)),
    eventOf(ports, plan),
    ...(plan.writes ?? []),
  ])
}

/** Starts what a stored plan began: each membership on its own, and the update of the federation. */
export const launchChange = async (ports: TablePorts, { federation, steps, operation }: ChangePlan): Promise<void> => {
  const { projectId } = federation
  const own: Launch[] =
    operation === null ? [] : [{ flow: 'federation-update', projectId, entityId: federation.id, operation }]
  await Promise.all([...launchesOf(steps), ...own].map((one) => launch(ports, one)))
}
