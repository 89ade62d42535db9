import { isFailed } from '../values/status.ts'
import { byNumber, listInWords, quote } from '../values/wording.ts'
import type { Cluster } from './cluster.ts'
import type { NodeGroup } from './node-group.ts'
import { defaultWorkerOf } from './node-rules.ts'

/** Node groups that are named. */
const NAMED_MAX = 5

const named = (groups: readonly NodeGroup[]): string => {
  const names = groups.map(({ name }) => quote(name))
  return `${byNumber(groups, 'node group', 'node groups')} ${listInWords(names, NAMED_MAX)}`
}

/** Never made, or half gone: such a group takes no other change than its deletion. */
const isLost = ({ status }: NodeGroup): boolean => status === 'CREATE_FAILED' || status === 'DELETE_FAILED'

/** A patch that changes nothing: unlike a resize, drivers take it for masters too, and it brings the count into limits that were changed. */
const patchOf = (cluster: Cluster, { id, minNodeCount }: NodeGroup): string => {
  const patch = [{ op: 'replace', path: '/min_node_count', value: minNodeCount }]
  return `for example PATCH /v1/clusters/${cluster.id}/nodegroups/${id} ${JSON.stringify(patch)}`
}

/**
 * How a cluster that is UPDATE_FAILED comes to take an upgrade again, as a sentence: each failed node group is changed once with success, be it to
 * what it is already, or deleted. Not for those with an upgrade that failed, which take another one as they are (decision 0025). Empty for clusters without
 * node groups to change.
 */
export const remedyOfFailure = (cluster: Cluster, groups: readonly NodeGroup[]): string => {
  const failed = groups.filter(({ status }) => isFailed(status))
  const lost = failed.filter(isLost)
  const repairable = failed.filter((group) => !isLost(group))
  const [example = failed.length === 0 ? defaultWorkerOf(groups) : undefined] = repairable
  const which = byNumber(repairable, 'the', 'each of the')
  const what = repairable.length > 0 ? `${which} failed ${named(repairable)}` : 'any node group'
  const steps = [
    ...(example === undefined
      ? []
      : [`change ${what} once, also to what it is already (${patchOf(cluster, example)})`]),
    ...(lost.length === 0 ? [] : [`delete the failed ${named(lost)}`]),
  ]
  return steps.length === 0 ? '' : ` To get there, ${listInWords(steps)}.`
}
