import type { Flow } from '../../../functions/core/operation/operation.ts'
import { gate } from '../local/engine-lab.ts'
import type { FlowLab } from './flow-lab.ts'

/** Holds the run of a flow's phases that comes after one other of the entity: before it begins, until the test lets it go on. */
export const holdSecondRun = (
  lab: FlowLab,
  held: Flow,
  entityId: string,
): { arrived: Promise<void>; go: () => void } => {
  const [arrived, go] = [gate(), gate()]
  let count = 0
  lab.intercept = async ({ flow, step, event }, run) => {
    const { state } = event as { state: { entityId: string } }
    if (flow !== held || step !== 'RunPhase' || state.entityId !== entityId || count++ === 0) return run()
    arrived.open()
    await go.passed
    return run()
  }
  return { arrived: arrived.passed, go: go.open }
}
