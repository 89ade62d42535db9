import type { Loan } from '../grant/grant.ts'
import type { HealthPolicy, LeftUnhealthy } from '../health-policy/health-policy.ts'
import type { Operation } from '../operation/operation.ts'
import type { MemberSelector, Selection } from '../selector/selector.ts'
import type { DriverId } from '../values/ids.ts'
import type { JsonObject } from '../values/json.ts'
import type { ObjectRef } from '../values/object-ref.ts'
import { type Condition, isConditionTrue, type Status } from '../values/status.ts'

export type FederationOperation = Operation<'create' | 'update' | 'delete' | 'rotate'>

/**
 * A run of membership changes: opened by the first join or unjoin on a settled federation, shared by those that follow while it
 * is open, closed by whoever sees no membership moving. Its memberships decide between `UPDATE_COMPLETE` and `UPDATE_FAILED`.
 */
export type MembershipChange = {
  /** UUIDv7; memberships that moved in it carry it as `changeId`. */
  id: string
  /** ISO-8601 UTC: the latest deadline of its memberships. */
  deadline: string
  /** Why the federation's own update failed while memberships still moved; decides the result when the run closes. */
  failure?: { reason: string; message: string }
  /** One sentence per member that was removed without being cleaned; shown when the run closes. Spread `change` to keep it. */
  leftBehind?: readonly string[]
}

/** Condition types of a federation. */
export const CONTROL_PLANE_READY = 'ControlPlaneReady'
export const MEMBERS_READY = 'MembersReady'
/** Whether the last renewal of the control plane's certificates went well; absent before the first. */
export const CERTIFICATES_CURRENT = 'CertificatesCurrent'

/** Whether members would leave by the selector, and are held. */
export const SELECTOR_HELD = 'SelectorHeld'
/** Whether unhealthy members are neither cordoned nor taken out, since they are too many at once. */
export const HEALTH_POLICY_HELD = 'HealthPolicyHeld'

/** Whether all that the selector selects is a member, or on its way. */
export const SELECTOR_FOLLOWED = 'SelectorFollowed'

/**
 * An observation of the health sweep, remembered because two observations must agree before anything changes. Guarded by `observedAt`; bumps no
 * revision.
 */
export type ControlPlaneObservation = {
  /** ISO-8601 UTC. */
  observedAt: string
  /** Reason of the control plane's fault; null when it had none. */
  fault: string | null
  /** By cluster id the members that the control plane said do not work. `confirmed`: the observation before said so too. */
  members: Readonly<Record<string, { reason: string; message: string; confirmed: boolean }>>
}

/**
 * The host cluster of a federation that was created in the same request (decision 0037): it goes with the federation, unless it is to be kept
 * or another federation uses it.
 */
export type CreatedHost = {
  /** True: it stays when the federation goes. */
  keep: boolean
  /** `pending`: it is being created, so that nothing of the federation is in it; `gone`: its own deletion has begun. */
  state: 'pending' | 'ready' | 'gone'
}

export type Federation = {
  id: string
  projectId: string
  userId: string
  name: string
  driver: DriverId
  hostClusterId: string
  /** Null or absent: the host was there before. */
  createdHost?: CreatedHost | null
  /** Of a host of another project; absent for one of the own. */
  hostLoan?: Loan
  /** Text to text; unknown keys are kept. */
  properties: Readonly<Record<string, string>>
  /** Those of before the updates that have not come to a good end since; null or absent while `properties` are in force. */
  propertiesInForce?: Readonly<Record<string, string>> | null
  /** From 1; each change of intent or status adds 1 and is conditional on the value read. */
  revision: number
  status: Status
  statusReason: string | null
  /** Create, update of properties, rotation, or delete of the federation itself; memberships carry their own. */
  operation: FederationOperation | null
  /** The open run of membership changes; null when no membership moves. */
  change: MembershipChange | null
  conditions: readonly Condition[]
  /** How consumers reach the control plane: its URL, or where in the host to look; null before it is up. */
  endpoint: string | null
  /** What the flows made in the host for the federation as a whole. */
  made: readonly ObjectRef[]
  /** The driver's own notes: non-secret, small. */
  driverState: JsonObject
  /** ISO-8601 UTC when the control plane's certificates are to be renewed; null when it has none. */
  renewAfter: string | null
  /** Names of the driver's sealed documents (`sealed` of a step's result); the documents are in the credential store. Sorted. */
  driverSecrets: readonly string[]
  /** What the health sweep saw last; null before it looked. */
  observation: ControlPlaneObservation | null
  createdAt: string
  updatedAt: string | null
  /** Ids of clusters waiting, joining, ready, degraded, leaving or that failed to leave. Sorted. Changed with the membership. */
  memberIds: readonly string[]
  /** Clusters of its project that become members by themselves; null or absent: none. */
  memberSelector?: MemberSelector | null
  /** What became of it so far. */
  selection?: Selection | null
  /** Absent: the default one. */
  healthPolicy?: HealthPolicy
  /** Clusters that the policy took out. Absent: none. */
  leftUnhealthy?: readonly LeftUnhealthy[]
  /** As a cluster's. */
  integrity?: string
}

/** The fields that `FederationStore.change` may set. */
export type FederationUpdate = Partial<
  Pick<
    Federation,
    | 'properties'
    | 'propertiesInForce'
    | 'status'
    | 'statusReason'
    | 'operation'
    | 'change'
    | 'conditions'
    | 'endpoint'
    | 'made'
    | 'driverState'
    | 'renewAfter'
    | 'driverSecrets'
    | 'createdHost'
    | 'memberSelector'
    | 'selection'
    | 'healthPolicy'
    | 'leftUnhealthy'
    | 'updatedAt'
  >
>

/**
 * True once the control plane came up, whatever the health sweep sees of it by now: only those are checked. False while it is being
 * created, and for ever when that failed.
 */
export const isInitialized = ({ conditions, observation }: Pick<Federation, 'conditions' | 'observation'>): boolean =>
  observation !== null || isConditionTrue(conditions, CONTROL_PLANE_READY)

/** The operation that decides the federation's status; null when none does, as during a rotation of certificates. */
export const decidingOperation = ({ operation }: Pick<Federation, 'operation'>): FederationOperation | null =>
  operation?.kind === 'rotate' ? null : operation

/** True when the host holds nothing of the federation: it is still being created, or is gone. */
export const isHostEmpty = ({ createdHost }: Pick<Federation, 'createdHost'>): boolean =>
  createdHost?.state === 'pending' || createdHost?.state === 'gone'
