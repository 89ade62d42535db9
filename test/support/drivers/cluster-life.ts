import { randomUUID } from 'node:crypto'
import type { AuthorityType, Cluster, ClusterOperation } from '../../../functions/core/cluster/cluster.ts'
import { type ClusterTask, nodeGroupOf } from '../../../functions/core/cluster/cluster-task.ts'
import type { ClusterTemplate } from '../../../functions/core/cluster/cluster-template.ts'
import { isMaster, type NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import type { AppError } from '../../../functions/core/values/app-error.ts'
import type { JsonObject } from '../../../functions/core/values/json.ts'
import type { Secret } from '../../../functions/core/values/secret.ts'
import type {
  ClusterContext,
  ClusterDriver,
  ClusterPhase,
  ClusterStepResult,
  ManagementAccess,
  NodeGroupResult,
} from '../../../functions/drivers/contract/cluster-driver.ts'
import type { PlannedCluster } from '../../../functions/drivers/contract/cluster-driver-description.ts'
import { ManagementMissing } from '../../../functions/drivers/contract/errors.ts'
import type { Connect } from '../../../functions/kubernetes/client.ts'
import { type CallBudget, counted } from './call-budget.ts'
import { defaultGroups, nodeGroupEntity } from './cluster-samples.ts'
import { clusterEntity } from './test-cluster.ts'
import { untilDone } from './until-done.ts'

/** What a driver that makes nodes needs besides. */
export type MakingLab = {
  /** Of the clusters to make. */
  template: ClusterTemplate
  /** What they can be upgraded to. */
  newer: ClusterTemplate
  /** Ways to spoil the plan of a good new cluster, each of them a fault that `check` finds. */
  faulty: readonly ((plan: PlannedCluster) => PlannedCluster)[]
  /** The cluster's authorities; each rotation adds 1 to `generation`, from 1. */
  authority(
    type: AuthorityType,
    generation: number,
  ): Promise<{ certificatePem: string; privateKey: Secret } | undefined>
}

/** What a driver with `needsManagement` needs besides. */
export type ManagementLab = {
  /** A good one; the lab closes it. */
  access: ManagementAccess
  /** One that lacks what the driver needs; the lab closes it. */
  unfit: ManagementAccess
  /** What `context.cloudCredential()` gives: `CloudCredential` as JSON. Default: undefined. */
  cloudCredential?(): Promise<Secret | undefined>
}

/** Where the contract suite of cluster drivers runs: one cluster to register, or a place to make clusters in. */
export type ClusterLab = {
  /** What is stored for it; undefined for drivers that need none. */
  credential(): Promise<Secret | undefined>
  connect: Connect
  /** Texts that must not be in any result. */
  secrets: readonly string[]
  /** What the API keeps of a registration that is not by a kubeconfig. */
  driverState?: JsonObject
  /** How long a phase is waited for. Default a minute. */
  timeoutMilliseconds?: number
  /** False for API servers that are only simulated, whose `/version` is not that of the cluster. Default true. */
  tellsVersion?: boolean
  /** Makes the cluster unreachable. */
  stop(): Promise<void>
  /** For drivers with the capability `makesNodes`. */
  making?: MakingLab
  /** For drivers with the capability `needsManagement`. */
  management?: ManagementLab
}

/**
 * How each plan is run. `losing`: each phase is killed once, after it acted and before anything of it is stored. `twice`: a plan that is
 * through is run again from its begin, as a further attempt does.
 */
export type LifeMode = 'plain' | 'losing' | 'twice'

export type ClusterLifeOptions = {
  budget?: CallBudget
  refuseClaim?: AppError
  mode?: LifeMode
  /** Of the cluster to make or register. */
  labels?: Record<string, string>
  /** Default: the time of day. */
  now?: () => Date
}

const beginning = (kind: ClusterOperation['kind']): ClusterOperation => ({
  id: randomUUID(),
  kind,
  attempt: 1,
  mode: 'do',
  startedAt: new Date().toISOString(),
  deadline: new Date(Date.now() + 3_600_000).toISOString(),
  force: false,
  supersedes: [],
  failure: null,
})

/** Nulls remove keys, as the flows do it. */
const merged = (cluster: Cluster, state: ClusterStepResult['state']): Cluster['driverState'] =>
  Object.fromEntries(Object.entries({ ...cluster.driverState, ...state }).filter(([, value]) => value !== null))

/** The life of one cluster with one driver: what API and flows do, without store and state machine. */
export class ClusterLife {
  readonly driver: ClusterDriver
  readonly lab: ClusterLab
  readonly options: ClusterLifeOptions
  cluster: Cluster
  /** As they shall be. Empty for drivers that make none. */
  nodeGroups: readonly NodeGroup[]
  template: ClusterTemplate | null
  /** Rotations of the authorities so far, and one. */
  generation = 1
  /** Identities claimed, in order, each once. */
  readonly claimed: string[] = []
  /** Results of the phases, in order. */
  readonly results: ClusterStepResult[] = []
  #task: ClusterTask | null = null

  constructor(driver: ClusterDriver, lab: ClusterLab, options: ClusterLifeOptions = {}) {
    this.driver = driver
    this.lab = lab
    this.options = options
    const { driverState = {} } = lab
    const { projectId, id } = lab.management?.access.cluster ?? {}
    const madeThrough = projectId === undefined || id === undefined ? null : { projectId, id }
    const cluster = clusterEntity({ driver: driver.id, status: 'CREATE_IN_PROGRESS', driverState, madeThrough })
    this.template = lab.making?.template ?? null
    this.cluster = {
      ...cluster,
      magnum: {
        ...cluster.magnum,
        labels: options.labels ?? {},
        clusterTemplateId: this.template?.id ?? cluster.magnum.clusterTemplateId,
        masterLbEnabled: this.template?.spec.masterLbEnabled ?? null,
      },
    }
    this.nodeGroups = driver.capabilities.makesNodes
      ? defaultGroups(cluster.id).map((group) => this.#filled(group))
      : []
  }

  /** What the API takes from the template where a group says nothing. */
  #filled(group: NodeGroup): NodeGroup {
    const { imageId = null, flavorId = null, masterFlavorId = null } = this.template?.spec ?? {}
    return {
      ...group,
      imageId: group.imageId ?? imageId,
      flavorId: group.flavorId ?? (isMaster(group) ? masterFlavorId : flavorId),
    }
  }

  context(): ClusterContext {
    const { budget, refuseClaim, now = () => new Date() } = this.options
    return {
      cluster: this.cluster,
      credential: () => this.lab.credential(),
      connect: (connection) => {
        const client = this.lab.connect(connection)
        return budget === undefined ? client : counted(client, budget)
      },
      claimIdentity: async (uid) => {
        if (refuseClaim !== undefined) throw refuseClaim
        if (!this.claimed.includes(uid)) this.claimed.push(uid)
      },
      task: this.#task,
      nodeGroups: this.nodeGroups,
      template: async () => this.template,
      authority: async (type) => this.lab.making?.authority(type, this.generation),
      management: async () => {
        const access = this.lab.management?.access
        if (access === undefined) throw new ManagementMissing('The lab has no management cluster.')
        return access
      },
      cloudCredential: async () => this.lab.management?.cloudCredential?.(),
      now: () => now().toISOString(),
    }
  }

  /** What `check` is asked before a create or, with a task, before that. */
  plan(task: ClusterTask | null = null): PlannedCluster {
    const { access } = this.lab.management ?? {}
    const management = access ? { id: access.cluster.id, name: access.cluster.name, options: access.options } : null
    return { cluster: this.cluster, template: this.template, nodeGroups: this.nodeGroups, task, management }
  }

  /** @throws Error when there is none of that name */
  group(name: string): NodeGroup {
    const found = this.nodeGroups.find((group) => group.name === name)
    if (found === undefined) throw new Error(`no node group ${name}`)
    return found
  }

  async create(): Promise<void> {
    await this.#run('create', this.driver.phases.create)
    this.nodeGroups = this.nodeGroups.map((group) => ({ ...group, reachedCount: group.nodeCount }))
  }

  /** A new credential. */
  update(): Promise<void> {
    return this.perform({ kind: 'credential' })
  }

  resize(name: string, nodeCount: number, nodesToRemove: readonly string[] = []): Promise<void> {
    const { id } = this.#change(name, { nodeCount })
    return this.perform({ kind: 'resize', nodeGroupId: id, nodeCount, nodesToRemove })
  }

  addGroup(name: string, change: Partial<NodeGroup> = {}): Promise<void> {
    const number = Math.max(...this.nodeGroups.map((group) => group.number)) + 1
    const group = this.#filled(nodeGroupEntity(name, { clusterId: this.cluster.id, number, ...change }))
    this.nodeGroups = [...this.nodeGroups, group]
    return this.perform({ kind: 'node-group-create', nodeGroupId: group.id })
  }

  updateGroup(name: string, nodeCount: number | null): Promise<void> {
    const { id } = this.#change(name, nodeCount === null ? {} : { nodeCount })
    return this.perform({ kind: 'node-group-update', nodeGroupId: id, nodeCount })
  }

  async removeGroup(name: string): Promise<void> {
    const { id } = this.group(name)
    await this.perform({ kind: 'node-group-delete', nodeGroupId: id })
    this.nodeGroups = this.nodeGroups.filter((group) => group.id !== id)
  }

  /** The whole cluster, or one group. */
  async upgrade(template: ClusterTemplate, name?: string): Promise<void> {
    const nodeGroupId = name === undefined ? null : this.group(name).id
    const { id: templateId, projectId: templateProjectId } = template
    this.template = template
    await this.perform({ kind: 'upgrade', templateId, templateProjectId, nodeGroupId, maxBatchSize: 1 })
    const { magnum } = this.cluster
    this.cluster = { ...this.cluster, magnum: { ...magnum, clusterTemplateId: templateId } }
  }

  rotateAuthority(): Promise<void> {
    this.generation += 1
    return this.perform({ kind: 'rotate-authority' })
  }

  /** Runs the plan of a task. @throws Error when the driver has none */
  async perform(task: ClusterTask): Promise<void> {
    const plan = this.driver.phases.update[task.kind]
    if (plan === undefined) throw new Error(`${this.driver.id} has no plan for ${task.kind}`)
    this.#task = task
    try {
      await this.#run('update', plan)
    } finally {
      this.#task = null
    }
    this.nodeGroups = this.nodeGroups.map((group) =>
      group.id === nodeGroupOf(task) ? { ...group, reachedCount: group.nodeCount } : group,
    )
  }

  /** Runs the plan of a task, and takes it back as a flow does that could not record its end. */
  async undo(task: ClusterTask): Promise<void> {
    const plan = this.driver.phases.update[task.kind] ?? []
    this.#task = task
    await this.#runPlan(plan)
    this.nodeGroups = this.nodeGroups.map((group) =>
      group.id === nodeGroupOf(task) ? { ...group, nodeCount: group.reachedCount } : group,
    )
    for (const phase of plan.toReversed()) {
      if (phase.undo !== undefined) await this.#untilDone(phase.undo.bind(phase))
    }
    this.#task = null
  }

  delete(): Promise<void> {
    return this.#run('delete', this.driver.phases.delete)
  }

  async #run(kind: ClusterOperation['kind'], plan: readonly ClusterPhase[]): Promise<void> {
    this.cluster = { ...this.cluster, operation: beginning(kind) }
    await this.#runPlan(plan)
    if (this.options.mode === 'twice') await this.#runPlan(plan)
    this.cluster = { ...this.cluster, operation: null }
  }

  async #runPlan(plan: readonly ClusterPhase[]): Promise<void> {
    for (const phase of plan) {
      if (this.options.mode === 'losing') await phase.ensure(this.context())
      await this.#untilDone(phase.ensure.bind(phase))
    }
  }

  async #untilDone(act: ClusterPhase['ensure']): Promise<void> {
    await untilDone(async () => {
      const result = await act(this.context())
      this.#store(result)
      return result
    }, this.lab.timeoutMilliseconds)
  }

  #store(result: ClusterStepResult): void {
    const { endpoint, identity, observation, state, nodeGroups = [] } = result
    this.results.push(result)
    this.cluster = {
      ...this.cluster,
      driverState: merged(this.cluster, state),
      ...(endpoint && { endpoint }),
      ...(identity && { identity }),
      ...(observation && { observation }),
    }
    for (const told of nodeGroups) this.#tell(told)
  }

  #tell({ id, ...told }: NodeGroupResult): void {
    this.nodeGroups = this.nodeGroups.map((group) => (group.id === id ? { ...group, ...told } : group))
  }

  #change(name: string, change: Partial<NodeGroup>): NodeGroup {
    const changed = { ...this.group(name), ...change }
    this.nodeGroups = this.nodeGroups.map((group) => (group.id === changed.id ? changed : group))
    return changed
  }
}
