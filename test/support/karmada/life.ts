import { isAppError } from '../../../functions/core/values/app-error.ts'
import type { ClusterAccess } from '../../../functions/drivers/contract/cluster-access.ts'
import type { StepResult } from '../../../functions/drivers/contract/phase.ts'
import { karmadaDriver } from '../../../functions/drivers/federation/karmada/v1/index.ts'
import type { KarmadaOptions } from '../../../functions/drivers/federation/karmada/v1/model/options.ts'
import type { PodFate } from '../../../simulated-kubernetes/behaviour.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import { CallBudget, counted } from '../drivers/call-budget.ts'
import { FederationLife } from '../drivers/federation-life.ts'
import { connect } from '../drivers/test-cluster.ts'
import { untilDone } from '../drivers/until-done.ts'
import { standInAsset } from './crds.ts'
import { type KarmadaLab, ownProperties } from './lab.ts'
import { QUICK } from './options.ts'

/** Fates of the workloads of one namespace, by name; others go their way. */
export const fates =
  (namespace: string | undefined, wanted: Readonly<Record<string, PodFate>>) =>
  ({ metadata }: ApiObject): PodFate | undefined =>
    metadata.namespace === namespace ? wanted[metadata.name] : undefined

/** A life with karmada@1 in a lab, which can also be stopped at a phase. */
export class KarmadaLife extends FederationLife {
  readonly budget: CallBudget

  constructor(lab: KarmadaLab, properties: Record<string, string> = {}, options: Partial<KarmadaOptions> = {}) {
    const budget = new CallBudget()
    super({
      driver: karmadaDriver({ ...QUICK, ...options }),
      host: () => lab.host.access(budget),
      connect: (connection) => counted(connect(connection), budget),
      asset: standInAsset,
      properties: { ...ownProperties(), ...properties },
    })
    this.budget = budget
  }

  get namespace(): string {
    return this.federation.properties.namespace ?? ''
  }

  /** Runs the phases of create before `id`. */
  async createUntil(id: string): Promise<void> {
    for (const phase of this.driver.phases.create) {
      if (phase.id === id) return
      await this.ensure(phase.id)
    }
    throw new Error(`there is no phase ${id}`)
  }

  /** Runs one phase of create until it is done. */
  async ensure(id: string): Promise<void> {
    await untilDone(() => this.lookAt(id))
  }

  /** One call of a phase of create; what it says is kept. */
  lookAt(id: string): Promise<StepResult> {
    const phase = this.driver.phases.create.find((it) => it.id === id)
    if (phase === undefined) throw new Error(`there is no phase ${id}`)
    return this.once(() => phase.ensure(this.context()))
  }

  /**
   * What a phase waits for, once that text is in it. What was stopped a moment ago may still be seen running, or end while it is used: then it is
   * checked again, as a flow does.
   */
  async waitsFor(id: string, text: string): Promise<string> {
    let said = ''
    await untilDone(async () => {
      said = await this.#sayingOf(id)
      return { done: said.includes(text), waitingFor: `phase ${id} to say "${text}"; it says: ${said}` }
    }, 20_000)
    return said
  }

  async #sayingOf(id: string): Promise<string> {
    try {
      const { done, waitingFor = '' } = await this.lookAt(id)
      return done ? 'done' : waitingFor
    } catch (error) {
      if (isAppError(error) && error.retryable) return error.message
      throw error
    }
  }

  /** Joins, for a lab's cluster. */
  member(access: { access(budget?: CallBudget): ClusterAccess }): () => ClusterAccess {
    return () => access.access(this.budget)
  }
}
