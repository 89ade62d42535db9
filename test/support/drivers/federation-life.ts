import { randomUUID } from 'node:crypto'
import { mergeState } from '../../../functions/core/cluster/changes.ts'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import type { Membership, MembershipOperation } from '../../../functions/core/membership/membership.ts'
import { mergeObjectRefs, type ObjectRef, withoutObjectRefs } from '../../../functions/core/values/object-ref.ts'
import type { Secret } from '../../../functions/core/values/secret.ts'
import type { ClusterAccess } from '../../../functions/drivers/contract/cluster-access.ts'
import type {
  FederationContext,
  FederationDriver,
  MemberContext,
} from '../../../functions/drivers/contract/federation-driver.ts'
import type { StepResult } from '../../../functions/drivers/contract/phase.ts'
import type { Connect } from '../../../functions/kubernetes/client.ts'
import { noAssets } from '../no-assets.ts'
import { untilDone } from './until-done.ts'

const operation = <K extends string>(kind: K) => ({
  id: randomUUID(),
  kind,
  attempt: 1,
  mode: 'do' as const,
  startedAt: new Date().toISOString(),
  deadline: new Date(Date.now() + 300_000).toISOString(),
  force: false,
  supersedes: [],
  failure: null,
})

export type LifeOptions = {
  driver: FederationDriver
  host: () => ClusterAccess
  connect: Connect
  properties?: Record<string, string>
  /** Files that come with the functions. Default: none. */
  asset?: FederationContext['asset']
}

type Member = { access: () => ClusterAccess; membership: Membership; token: Secret | undefined }

const joining = (federation: Federation, cluster: Cluster, memberName: string): Membership => ({
  projectId: federation.projectId,
  federationId: federation.id,
  clusterId: cluster.id,
  memberName,
  revision: 1,
  changeId: randomUUID(),
  since: new Date().toISOString(),
  made: [],
  credential: null,
  state: 'Joining',
  operation: operation('join'),
})

const newFederation = ({ driver, host, properties = {} }: LifeOptions): Federation => ({
  id: randomUUID(),
  projectId: 'local',
  userId: 'tester',
  name: 'europe',
  driver: driver.id,
  hostClusterId: host().cluster.id,
  properties,
  revision: 1,
  status: 'CREATE_IN_PROGRESS',
  statusReason: null,
  operation: null,
  change: null,
  conditions: [],
  endpoint: null,
  made: [],
  driverState: {},
  renewAfter: null,
  driverSecrets: [],
  observation: null,
  createdAt: new Date().toISOString(),
  updatedAt: null,
  memberIds: [],
})

/**
 * The life of one federation with one driver: what the flows do, without store and state machine. Each part can be called again, as a
 * flow does after a failure; what a step made is noted only when it answers.
 */
export class FederationLife {
  readonly options: LifeOptions
  federation: Federation
  readonly members = new Map<string, Member>()
  /** Makes names of members other than those of their clusters: for drivers with `distinctMemberNames`. */
  nameSuffix = ''
  /** What parts of the life said would stay. */
  leftovers: ObjectRef[] = []
  /** The driver's sealed documents. */
  readonly documents = new Map<string, Secret>()

  constructor(options: LifeOptions) {
    this.options = options
    this.federation = newFederation(options)
  }

  get driver(): FederationDriver {
    return this.options.driver
  }

  context(): FederationContext {
    return {
      ...this.#context(),
      members: async () => [...this.members.values()].map((member) => this.#memberContext(member)),
    }
  }

  /** Context for a cluster that is, or is to become, a member. */
  memberContext(access: () => ClusterAccess): MemberContext {
    return this.#memberContext(this.#member(access))
  }

  async create(): Promise<void> {
    for (const phase of this.driver.phases.create) await this.#run(() => phase.ensure(this.context()))
  }

  async undoCreate(): Promise<void> {
    for (const phase of this.driver.phases.create.toReversed()) {
      await this.#run(async () => (await phase.undo?.(this.context())) ?? { done: true })
    }
  }

  async update(properties: Record<string, string>): Promise<void> {
    this.federation = { ...this.federation, properties }
    for (const phase of this.driver.phases.update) await this.#run(() => phase.ensure(this.context()))
  }

  async delete(): Promise<void> {
    for (const phase of this.driver.phases.delete) await this.#run(() => phase.ensure(this.context()))
  }

  /** New certificates of the control plane; keeps the operation's id over repeated calls, until `restRotation`. */
  async rotateCertificates(): Promise<void> {
    const given = this.federation.operation
    this.federation = { ...this.federation, operation: given?.kind === 'rotate' ? given : operation('rotate') }
    for (const phase of this.driver.phases.rotate) await this.#run(() => phase.ensure(this.context()))
  }

  /** The rotation is over. */
  restRotation(): void {
    this.federation = { ...this.federation, operation: null }
  }

  /** Account and proved credential in the member. */
  async prepare(access: () => ClusterAccess): Promise<Member> {
    const member = this.#member(access)
    const result = await untilDone(async () => {
      const seen = await this.driver.prepareMember(this.#memberContext(member))
      this.#note(member, seen)
      return seen
    })
    if (result.credential === undefined) throw new Error('prepareMember is done without a credential')
    const { token, ...credential } = result.credential
    member.token = token
    member.membership = { ...member.membership, credential }
    return member
  }

  async register(access: () => ClusterAccess): Promise<void> {
    const member = this.#member(access)
    await untilDone(async () => {
      const seen = await this.driver.registerMember(this.#memberContext(member))
      this.#note(member, seen)
      return seen
    })
  }

  async join(access: () => ClusterAccess): Promise<void> {
    const { membership } = await this.prepare(access)
    await this.register(access)
    await this.#awaitReady(access)
    this.#member(access).membership = { ...this.#member(access).membership, state: 'Ready', operation: null }
    if (membership.clusterId !== access().cluster.id) throw new Error('members are mixed up')
  }

  /** A new credential, published; keeps the operation's id over repeated calls. */
  async rotate(access: () => ClusterAccess): Promise<void> {
    const member = this.#member(access)
    const given = 'operation' in member.membership ? member.membership.operation : null
    const rotation = given?.kind === 'rotate' ? given : operation('rotate')
    member.membership = { ...member.membership, state: 'Ready', operation: rotation }
    await this.prepare(access)
    await this.register(access)
    member.membership = { ...member.membership, state: 'Ready', operation: null }
  }

  /** What the driver is given of a member that leaves. */
  leaving(access: () => ClusterAccess, part: Partial<MembershipOperation> = {}): MemberContext {
    const member = this.#member(access)
    member.membership = {
      ...member.membership,
      state: 'Leaving',
      operation: { ...operation('unjoin'), ...part, kind: 'unjoin' },
    }
    return this.#memberContext(member)
  }

  async unjoin(access: () => ClusterAccess, part: Partial<MembershipOperation> = {}): Promise<void> {
    this.leaving(access, part)
    const member = this.#member(access)
    await this.#run(() => this.driver.deregisterMember(this.#memberContext(member)))
    await this.#run(() => this.driver.cleanMember(this.#memberContext(member)))
    this.members.delete(access().cluster.id)
  }

  async #awaitReady(access: () => ClusterAccess): Promise<void> {
    await untilDone(async () => {
      const seen = await this.driver.observeMember(this.memberContext(access))
      return { done: seen.state === 'ready', waitingFor: `the member to be ready: ${JSON.stringify(seen)}` }
    })
  }

  #member(access: () => ClusterAccess): Member {
    const { cluster } = access()
    const member = this.members.get(cluster.id) ?? {
      access,
      membership: joining(this.federation, cluster, `${cluster.name}${this.nameSuffix}`),
      token: undefined,
    }
    this.members.set(cluster.id, member)
    return member
  }

  #memberContext(member: Member): MemberContext {
    return {
      ...this.#context(),
      membership: member.membership,
      member: member.access(),
      memberToken: async () => member.token,
    }
  }

  #context(): FederationContext {
    return {
      federation: { ...this.federation, memberIds: [...this.members.keys()].sort() },
      host: this.options.host(),
      now: () => new Date().toISOString(),
      connect: this.options.connect,
      sealed: async (name) => this.documents.get(name),
      asset: this.options.asset ?? noAssets,
    }
  }

  /** One call of a step; what it says is kept. */
  async once(look: () => Promise<StepResult>): Promise<StepResult> {
    const seen = await look()
    this.#keep(seen)
    return seen
  }

  async #run(look: () => Promise<StepResult>): Promise<void> {
    const last = await untilDone(() => this.once(look))
    this.leftovers = mergeObjectRefs(this.leftovers, last.leftovers ?? [])
  }

  /** What the flows store of a phase's result. */
  #keep({ made = [], state = {}, sealed = {}, renewAfter = this.federation.renewAfter }: StepResult): void {
    for (const [name, secret] of Object.entries(sealed)) {
      if (secret === null) this.documents.delete(name)
      else this.documents.set(name, secret)
    }
    this.federation = {
      ...this.federation,
      made: mergeObjectRefs(this.federation.made, made),
      driverState: mergeState(this.federation.driverState, state),
      driverSecrets: [...this.documents.keys()].sort(),
      renewAfter,
    }
  }

  #note(member: Member, { made = [], gone = [] }: StepResult): void {
    const { membership } = member
    member.membership = { ...membership, made: mergeObjectRefs(withoutObjectRefs(membership.made, gone), made) }
  }
}
