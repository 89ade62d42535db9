import type { AppError } from '../../../functions/domain/app-error.ts'
import type { Cluster } from '../../../functions/domain/cluster.ts'
import type { Secret } from '../../../functions/domain/secret.ts'
import type { ClusterContext, ClusterDriver, ClusterPhase } from '../../../functions/drivers/contract/cluster-driver.ts'
import type { Connect } from '../../../functions/kubernetes/client.ts'
import { type CallBudget, counted } from './call-budget.ts'
import { clusterEntity } from './test-cluster.ts'
import { untilDone } from './until-done.ts'

/** Where the contract suite of cluster drivers runs: one cluster to register. */
export type ClusterLab = {
  /** What is stored for it; undefined for drivers that need none. */
  credential(): Promise<Secret | undefined>
  connect: Connect
  /** Texts that must not be in any result. */
  secrets: readonly string[]
  /** Makes the cluster unreachable. */
  stop(): Promise<void>
}

export type ClusterLifeOptions = { budget?: CallBudget; refuseClaim?: AppError }

/** The life of one registered cluster with one driver: what the flows do, without store and state machine. */
export class ClusterLife {
  readonly driver: ClusterDriver
  readonly lab: ClusterLab
  readonly options: ClusterLifeOptions
  cluster: Cluster
  /** Identities claimed, in order, each once. */
  readonly claimed: string[] = []

  constructor(driver: ClusterDriver, lab: ClusterLab, options: ClusterLifeOptions = {}) {
    this.driver = driver
    this.lab = lab
    this.options = options
    this.cluster = clusterEntity({ driver: driver.id, status: 'CREATE_IN_PROGRESS' })
  }

  context(): ClusterContext {
    const { budget, refuseClaim } = this.options
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
      task: null,
      nodeGroups: [],
      template: async () => null,
      authority: async () => undefined,
      now: () => new Date().toISOString(),
    }
  }

  create(): Promise<void> {
    return this.#run(this.driver.phases.create)
  }

  update(): Promise<void> {
    return this.#run(this.driver.phases.update.credential ?? [])
  }

  delete(): Promise<void> {
    return this.#run(this.driver.phases.delete)
  }

  async #run(plan: readonly ClusterPhase[]): Promise<void> {
    for (const phase of plan) {
      await untilDone(async () => {
        const { endpoint, identity, observation, state, ...step } = await phase.ensure(this.context())
        this.cluster = {
          ...this.cluster,
          driverState: { ...this.cluster.driverState, ...state },
          ...(endpoint && { endpoint }),
          ...(identity && { identity }),
          ...(observation && { observation }),
        }
        return step
      })
    }
  }
}
