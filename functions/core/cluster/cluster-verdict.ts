import { isFailed } from '../values/status.ts'
import { withoutFullStop } from '../values/wording.ts'
import type { Rest } from './next-task.ts'
import type { NodeGroup } from './node-group.ts'

const UNKNOWN = 'failed'

/** `Node groups a, b: why; c: why.`: each reason once. */
const nameGroups = (groups: readonly NodeGroup[]): string[] => {
  if (groups.length === 0) return []
  const byReason = Map.groupBy(groups, ({ statusReason }) => withoutFullStop(statusReason ?? UNKNOWN))
  const said = [...byReason].map(([reason, same]) => `${same.map(({ name }) => name).join(', ')}: ${reason}`)
  return [`Node group${groups.length === 1 ? '' : 's'} ${said.join('; ')}.`]
}

/**
 * How a cluster rests after its last task (magnum-rest.md 9.2): failed while one of its node groups is, or when the task itself failed;
 * once changed it never reads CREATE_COMPLETE again.
 *
 * @param failure of the last task, as `status_reason` shows it; null when it succeeded
 */
export const verdictOf = (groups: readonly NodeGroup[], failure: string | null): Rest => {
  const faulty = groups.filter(({ status }) => isFailed(status))
  const isTold = failure === null || faulty.some(({ statusReason }) => statusReason === failure)
  const sentences = [...(isTold ? [] : [failure]), ...nameGroups(faulty)]
  return sentences.length === 0
    ? { status: 'UPDATE_COMPLETE', statusReason: null }
    : { status: 'UPDATE_FAILED', statusReason: sentences.join(' ') }
}
