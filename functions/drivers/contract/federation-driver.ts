import type { Federation } from '../../core/federation/federation.ts'
import type { MemberCredential, Membership } from '../../core/membership/membership.ts'
import type { KubeconfigRole } from '../../core/values/identity.ts'
import type { Secret } from '../../core/values/secret.ts'
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
  /** Opens a client to another API server: the control plane's own, or a member with a new credential that is to be proved. */
  connect: Connect
  /** What the driver keeps for the federation under seal: see `sealed` of `StepResult`. Undefined when there is none of that name. */
  sealed(name: string): Promise<Secret | undefined>
  /** A file that comes with the functions, for example CRDs of a release. @throws AssetMissing */
  asset(name: string): Promise<Uint8Array>
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
}

/** Something that a check found. `error` refuses the join, or the change; `warning` is reported. */
export type Finding = {
  severity: 'error' | 'warning'
  reason: string
  message: string
  /** True for a fault that may be over by itself soon, for example a cluster that does not answer. */
  retryable?: boolean
  /** True for what a server says that asks to be asked again (429, 503): it is waited for and refuses nothing. */
  passing?: boolean
}

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
  /** `reason` and `message`: what works in part only, for example `ProxyDisabled`. */
  | { state: 'ready'; reason?: string; message?: string }
  /** Registered, not (yet) working. */
  | {
      state: 'not-ready'
      reason: string
      message: string
      /** What was made for it is missing or changed: `prepareMember` and `registerMember` make it again. So it is with `absent`. */
      isRepairable?: true
    }
  | { state: 'absent' }

/** An observation of a whole federation. */
export type FederationObservation = {
  /** Null while the control plane is as it should be. */
  fault: { reason: string; message: string } | null
  /** What the control plane says of its members, by cluster id. Empty when it can't be asked. */
  members: ReadonlyMap<string, MemberObservation>
}

/** Who gets a kubeconfig of the control plane, with which rights, and for how long. */
export type KubeconfigRequest = {
  user: string
  role: KubeconfigRole
  /** RFC 1123 label: the role is for that namespace only. */
  namespace?: string
  seconds: number
}

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
    /** Before its certificates expire (`renewAfter` of a step's result). Empty for drivers that have none. */
    rotate: readonly Phase<FederationContext>[]
  }
  /** Preflight of the host: rights, versions, foreign objects. Changes nothing. */
  checkHost(context: FederationContext): Promise<Preflight>
  /** Preflight of one member. Changes nothing. */
  checkMember(context: MemberContext): Promise<Preflight>
  /**
   * Preflight of changed properties: `federation` has the new ones (rule F20). Changes nothing. Drivers whose update no cluster can refuse
   * have none. What it refuses, the plan `update` refuses too, before it changes anything.
   */
  checkUpdate?: {
    /** An observation of the host. */
    host(context: FederationContext): Promise<Preflight>
    /** An observation of one member that is Ready or Degraded. */
    member(context: MemberContext): Promise<Preflight>
  }
  /** Makes account, rights and credential in the member; proves the credential (SelfSubjectReview) before it is done. */
  prepareMember(context: MemberContext): Promise<PrepareResult>
  /** Makes the member known to the control plane. */
  registerMember(context: MemberContext): Promise<StepResult>
  observeMember(context: MemberContext): Promise<MemberObservation>
  /**
   * Brings what the control plane says of a registered member's health and version up to date (rule F19). Called by the health sweep,
   * outside of any operation, when `member.cluster.observation` changed. Drivers whose control plane checks members itself have none.
   */
  refreshMember?(context: MemberContext): Promise<StepResult>
  /**
   * What is missing or changed of what the driver made for a registered member, in host and member: a sentence each, none when all is there (rule F29).
   * Changes nothing, in few requests: called by the health sweep at each look. What is found is made again by `prepareMember` and `registerMember`.
   */
  observeMade?(context: MemberContext): Promise<readonly string[]>
  /**
   * Has the control plane send the member no new workloads, or send them again (rule F27). What is there stays, and moves as its own policies say. There
   * when `capabilities.cordon`. Called by the health sweep, outside of any operation. Never talks to the member.
   */
  cordonMember?(context: MemberContext, isCordoned: boolean): Promise<StepResult>
  /**
   * Makes every credential worthless that the control plane was given for the member, the one in use too (rule F30). `prepareMember` makes another one
   * after it. There when `capabilities.revoke`.
   */
  revokeMember?(context: MemberContext): Promise<StepResult>
  /** Bearer tokens in a stored credential, to be tried when they were revoked. There with `revokeMember`. Pure. */
  tokensIn?(credential: Secret): readonly Secret[]
  /** Takes the member out of the control plane. Never needs the member to be reachable. */
  deregisterMember(context: MemberContext): Promise<StepResult>
  /** Removes what `prepareMember` made in the member. */
  cleanMember(context: MemberContext): Promise<CleanResult>
  /** Where consumers find the control plane, once created. */
  endpoint(context: FederationContext): Promise<string | null>
  /**
   * The control plane and its members as they are now; changes nothing. Called by the health sweep. Drivers without it have a control plane
   * that is nothing but objects in the host.
   */
  observe?(context: FederationContext): Promise<FederationObservation>
  /**
   * A kubeconfig for the control plane with a credential that expires, for a role that `kubeconfigs` of the description has. There when
   * `capabilities.kubeconfig`.
   *
   * @throws NamespaceMissing
   */
  kubeconfig?(
    context: FederationContext,
    request: KubeconfigRequest,
  ): Promise<{ kubeconfig: Secret; expiresAt: string }>
}
