import { expect, it } from 'vitest'
import type { ClusterAccess } from '../../../functions/drivers/contract/cluster-access.ts'
import { CallBudget, Killed } from '../../support/drivers/call-budget.ts'
import type { FederationLab, LabCluster } from '../../support/drivers/federation-lab.ts'
import type { FederationLife } from '../../support/drivers/federation-life.ts'

/** What rules that live whole lives are given. */
export type Parts = {
  life(budget?: CallBudget): FederationLife
  way(cluster: LabCluster, budget?: CallBudget): () => ClusterAccess
  lab(): FederationLab
}

/** Lives that run at the same time: enough to hide waits, few enough for two cores. */
const AT_ONCE = 6

const KILL_TIMEOUT = 120_000

/** Runs a part; when it is killed, runs it again without a limit. */
const survive = async (budget: CallBudget, part: () => Promise<void>): Promise<void> => {
  try {
    await part()
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    budget.lift()
    await part()
  }
}

const inBatches = async (count: number, every: number, run: (number: number) => Promise<void>): Promise<void> => {
  const numbers = Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every + 1)
  const next = numbers.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const number of next) await run(number)
    }),
  )
}

/** Rule F6, and its like for undo: killed after any write, and run again. */
export const describeKills = ({ life, way, lab, killEvery }: Parts & { killEvery: number }): void => {
  const lived = async (budget: CallBudget): Promise<void> => {
    const fed = life(budget)
    const member = way(lab().members[0], budget)
    await survive(budget, () => fed.create())
    await survive(budget, () => fed.join(member))
    const seen = await fed.driver.observeMember(fed.memberContext(way(lab().members[0])))
    expect(seen).toMatchObject({ state: 'ready' })
    await survive(budget, () => fed.rotate(member))
    await survive(budget, () => fed.rotateCertificates())
    fed.restRotation()
    await survive(budget, () => fed.unjoin(member))
    await survive(budget, () => fed.delete())
    expect(await lab().remains(fed.federation.id)).toEqual([])
  }

  it(
    'F6: killed after any write and run again, it ends the same',
    async () => {
      const whole = new CallBudget()
      await lived(whole)
      await inBatches(whole.writes.length, killEvery, async (number) => {
        const budget = new CallBudget()
        budget.killAfter(number)
        await lived(budget)
      })
    },
    KILL_TIMEOUT,
  )

  it(
    'F7: killed after any write and undone, it leaves nothing',
    async () => {
      const begun = async (budget: CallBudget): Promise<void> => {
        const fed = life(budget)
        const member = way(lab().members[0], budget)
        try {
          await fed.create()
          await fed.join(member)
        } catch (error) {
          if (!(error instanceof Killed)) throw error
        }
        budget.lift()
        await fed.unjoin(member)
        await fed.undoCreate()
        expect(await lab().remains(fed.federation.id)).toEqual([])
      }
      const whole = new CallBudget()
      await begun(whole)
      await inBatches(whole.writes.length, killEvery, async (number) => {
        const budget = new CallBudget()
        budget.killAfter(number)
        await begun(budget)
      })
    },
    KILL_TIMEOUT,
  )
}
