import { projectEvent } from '../core/operation/events.ts'
import type { TablePorts } from '../core/ports.ts'
import type { Audit, AuditedDecision, AuditedSide } from '../core/values/event.ts'
import type { Principal } from '../core/values/identity.ts'
import type { Policy } from '../policy/policy.ts'
import {
  type ClusterUseContext,
  isReadRule,
  type KubeconfigContext,
  type MemberContext,
  type PolicyContext,
  type PolicyObject,
  type PolicyRule,
} from '../policy/rules.ts'
import type { Stores } from '../store/stores.ts'
import type { Write } from '../store/write.ts'
import type { PublicRequest } from './route.ts'

/** Decisions of one event at most: a federation may have more members than an item has room for. */
const DECISIONS_MAX = 200

const sideOf = ({ id, projectId }: PolicyObject): AuditedSide => ({ ...(id === undefined ? {} : { id }), projectId })

const SIDES = ['federation', 'cluster'] as const

/** Contexts of rules with two sides; others have none. */
type Sided = Partial<ClusterUseContext & MemberContext & KubeconfigContext>

/** The two sides of a join, or the one that a rule is asked about. */
const sidesOf = (rule: PolicyRule, object: PolicyObject | undefined, context: PolicyContext | undefined) => {
  const { federation, cluster, grant }: Sided = { ...context }
  const own = SIDES.find((side) => rule.startsWith(`${side}:`)) ?? 'resource'
  return {
    ...(object && { [own]: sideOf(object) }),
    ...(federation && { federation: sideOf(federation) }),
    ...(cluster && { cluster: sideOf(cluster) }),
    ...(grant?.id && { grantId: grant.id }),
  }
}

/** A request, as far as its events say where it came from. */
type Asked = {
  principal: Principal
  requestId: string
  rule: PolicyRule
  /** Method and path, for what has no event of its own. */
  said: string
}

/** `clustertemplate:update` → `ClustertemplateUpdate`. */
const reasonOf = (rule: PolicyRule): string =>
  rule.replace(/(?:^|[:_-])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Of what was asked for, where the command has no event of its own. */
const requestEvent = (ports: TablePorts, { principal, rule, said }: Asked): Write =>
  projectEvent(ports, principal.projectId, { reason: reasonOf(rule), message: `${said.slice(0, 1000)} (${rule}).` })

/**
 * Stores whose first commit has an event: that of the command, else one that says what was asked. So no route can forget its own. What only prepares to hand
 * out a credential, or takes that back, changes nothing yet: the commit that hands it out tells of it.
 */
const withEvent = (ports: TablePorts, asked: Asked): Stores => {
  const { stores } = ports
  if (isReadRule(asked.rule)) return stores
  const appended = new WeakSet<Write>()
  const prepared = new WeakSet<Write>()
  let isTold = false
  const append: Stores['events']['append'] = (event) => {
    const write = stores.events.append(event)
    appended.add(write)
    return write
  }
  const preparing = <A extends unknown[]>(make: (...given: A) => Write) => {
    return (...given: A): Write => {
      const write = make(...given)
      prepared.add(write)
      return write
    }
  }
  const { remember, forget } = stores.inventory
  const inventory = { ...stores.inventory, remember: preparing(remember), forget: preparing(forget) }
  const commit: Stores['commit'] = async (writes, ...limits) => {
    const has = (some: WeakSet<Write>) => writes.some((write) => some.has(write))
    if (has(prepared) && !has(appended)) return stores.commit(writes, ...limits)
    const isEnough = isTold || writes.length === 0 || has(appended)
    const more = isEnough ? [] : [requestEvent(ports, asked)]
    await stores.commit([...writes, ...more], ...limits)
    isTold ||= writes.length > 0
  }
  return { ...stores, events: { ...stores.events, append }, inventory, commit }
}

/**
 * Ports and settings of one request, which note what the policy permits it: the event of a change says by which decisions, in the same
 * transaction (decision 0042). What is refused changes nothing, and is logged where it is answered.
 */
export const audited = <P extends TablePorts>(
  base: Pick<PublicRequest<P>, 'ports' | 'settings'>,
  asked: Asked,
): Pick<PublicRequest<P>, 'ports' | 'settings'> => {
  const decisions = new Map<string, AuditedDecision>()
  const policy: Policy = {
    decide: (principal, rule, object, context) => {
      const decision = base.settings.policy.decide(principal, rule, object, context)
      if (decision.isAllowed) {
        const audited = { rule, policies: decision.policies, ...sidesOf(rule, object, context) }
        decisions.set(JSON.stringify(audited), audited)
      }
      return decision
    },
  }
  const { principal, requestId } = asked
  const { userId, projectId, source } = principal
  const audit = (): Audit => {
    const omitted = Math.max(0, decisions.size - DECISIONS_MAX)
    const shown = [...decisions.values()].slice(0, DECISIONS_MAX)
    return { requestId, source, decisions: shown, ...(omitted === 0 ? {} : { omitted }) }
  }
  const ports = { ...base.ports, caller: { userId, projectId, audit } }
  return {
    settings: { ...base.settings, policy },
    ports: { ...ports, stores: withEvent(ports, asked) },
  }
}
