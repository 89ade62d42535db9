import type { Federation } from '../../domain/federation.ts'
import type { MemberCredential, Membership } from '../../domain/membership.ts'
import type { Secret } from '../../domain/secret.ts'
import type { Connect } from '../../kubernetes/client.ts'
import type { ClusterAccess } from './cluster-access.ts'
import type { FederationDriverDescription } from './federation-driver-description.ts'
import type { Phase, StepResult } from './phase.ts'

/** Given to every function of a driver. */
export type FederationContext = {
  federation: Federation
  host: ClusterAccess
  /** ISO-8601 UTC. */
  now(): string
  /**
   * Given to the phases of an update: the members whose state is Ready or Degraded, for drivers whose properties reach into members.
   * Absent elsewhere.
   */
  members?(): Promise<readonly MemberContext[]>
}

export type MemberContext = FederationContext & {
  membership: Membership
  member: ClusterAccess
  /** The member's stored credential: see `prepareMember`. */
  memberToken(): Promise<Secret | undefined>
  /** To prove a new credential with. */
  connect: Connect
}

/** Something that `checkMember` or a phase's check found. `error` refuses the join, `warning` is told. */
export type Finding = { severity: 'error' | 'warning'; reason: string; message: string }

/** Answer of the preflight: also what `?dry_run=true` shows. */
export type Preflight = {
  findings: Finding[]
  /** What would be made, in words. */
  wouldMake: string[]
}

export type PrepareResult = StepResult & {
  /** Set when done: the proved credential, sealed and stored by the caller before anything else happens. */
  credential?: MemberCredential & { token: Secret }
}

export type MemberObservation =
  | { state: 'ready' }
  /** Registered, not (yet) working. */
  | { state: 'not-ready'; reason: string; message: string }
  | { state: 'absent' }

/** `leftovers` are what stays in the member. */
export type CleanResult = StepResult

/**
 * A kind of federation control plane. Every function observes before it acts, can run twice, touches only objects that carry the
 * federation's label, and throws `AppError`s with a retryable flag; see `docs/drivers/federation-contract.md`.
 */
export type FederationDriver = FederationDriverDescription & {
  phases: {
    create: readonly Phase<FederationContext>[]
    /** After `properties` changed. */
    update: readonly Phase<FederationContext>[]
    /** Every member has left. */
    delete: readonly Phase<FederationContext>[]
  }
  /** Preflight of the host: rights, versions, foreign objects. Changes nothing. */
  checkHost(context: FederationContext): Promise<Preflight>
  /** Preflight of one member. Changes nothing. */
  checkMember(context: MemberContext): Promise<Preflight>
  /** Makes account, rights and credential in the member; proves the credential (SelfSubjectReview) before it is done. */
  prepareMember(context: MemberContext): Promise<PrepareResult>
  /** Makes the member known to the control plane. */
  registerMember(context: MemberContext): Promise<StepResult>
  observeMember(context: MemberContext): Promise<MemberObservation>
  /**
   * Brings what the control plane says of a registered member's health and version up to date (rule F19). Called by the health sweep,
   * outside of any operation, when `member.cluster.observation` changed. Drivers whose control plane looks at members itself have none.
   */
  refreshMember?(context: MemberContext): Promise<StepResult>
  /** Takes the member out of the control plane. Never needs the member to be reachable. */
  deregisterMember(context: MemberContext): Promise<StepResult>
  /** Removes what `prepareMember` made in the member. */
  cleanMember(context: MemberContext): Promise<CleanResult>
  /** Where consumers find the control plane, once created. */
  endpoint(context: FederationContext): Promise<string | null>
}
