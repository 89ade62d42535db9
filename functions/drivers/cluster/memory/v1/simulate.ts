import type { Cluster, ClusterEndpoint } from '../../../../core/cluster/cluster.ts'
import { isAbout } from '../../../../core/cluster/task-groups.ts'
import type { ClusterContext, ClusterStepResult } from '../../../contract/cluster-driver.ts'
import { PlannedFailure } from '../../../contract/errors.ts'
import type { MemoryClusters } from './observe.ts'
import { CLUSTER_LABELS, GROUP_LABELS, Mark, type PhaseId, readLabels } from './schema.ts'

/** What a phase does, when it neither waits nor fails. */
export type Act = (context: ClusterContext) => ClusterStepResult | Promise<ClusterStepResult>

/** Key in `driverState` for when the phase that runs began. */
const SINCE = 'memory-since'

const delayLabel = (phase: PhaseId) => {
  switch (phase) {
    case 'provision':
      return 'memory-delay-seconds'
    case 'identify':
      return null
    case 'remove':
      return 'memory-delete-delay-seconds'
    default:
      return 'memory-update-delay-seconds'
  }
}

/** Seconds that a phase takes. */
const delayOf = (phase: PhaseId, { cluster }: ClusterContext): number => {
  const label = delayLabel(phase)
  return label === null ? 0 : (readLabels(CLUSTER_LABELS, cluster.magnum.labels)[label] ?? 0)
}

/** What still is to be waited for; undefined when the time is over. The mark is of one operation, so that the next one waits anew. */
const waiting = (phase: PhaseId, context: ClusterContext): ClusterStepResult | undefined => {
  const seconds = delayOf(phase, context)
  if (seconds === 0) return undefined
  const of = `${context.cluster.operation?.id ?? 'none'}/${phase}`
  const mark = Mark.safeParse(context.cluster.driverState[SINCE])
  const since = mark.success && mark.data.of === of ? mark.data.at : undefined
  const answer = { done: false, waitingFor: `the simulated ${phase} to take its ${seconds} s` }
  if (since === undefined) return { ...answer, state: { [SINCE]: { of, at: context.now() } } }
  return Date.parse(context.now()) - Date.parse(since) < seconds * 1000 ? answer : undefined
}

/** @throws PlannedFailure */
const failIfAsked = (phase: PhaseId, context: ClusterContext): void => {
  const { cluster } = context
  if (readLabels(CLUSTER_LABELS, cluster.magnum.labels)['memory-fail-phase'] === phase) {
    throw new PlannedFailure(
      `memory@1 was asked to fail at ${phase}, by the label memory-fail-phase of cluster ${cluster.name}.`,
    )
  }
  const { task, nodeGroups } = context
  const failing = nodeGroups.find((group) => {
    if (task === null || !isAbout(task, group)) return false
    const reported = readLabels(GROUP_LABELS, group.labels)['memory-fail']
    return reported === phase || reported === 'true'
  })
  if (failing === undefined) return
  throw new PlannedFailure(
    `memory@1 was asked to fail at ${phase}, by the label memory-fail of node group ${failing.name}.`,
  )
}

/** Runs one act with the hooks of the world around it, the planned delay before it and the planned failure in its place. */
export const simulate = async (
  world: MemoryClusters,
  context: ClusterContext,
  phase: PhaseId,
  act: Act,
): Promise<ClusterStepResult> => {
  const call = { name: `ensure:${phase}`, clusterId: context.cluster.id }
  world.note(call)
  await world.before?.(call, context)
  const wait = waiting(phase, context)
  if (wait === undefined) failIfAsked(phase, context)
  const result = wait ?? (await act(context))
  await world.after?.(call, context)
  return result
}

/** Takes one act back, with the hooks of the world around it. */
export const simulateUndo = async (
  world: MemoryClusters,
  context: ClusterContext,
  phase: PhaseId,
  undo: Act,
): Promise<ClusterStepResult> => {
  const call = { name: `undo:${phase}`, clusterId: context.cluster.id }
  world.note(call)
  await world.before?.(call, context)
  const result = await undo(context)
  await world.after?.(call, context)
  return result
}

/** Where a simulated cluster's API server is said to be: `memory-api-address`, or a name that nobody resolves. */
export const endpointOf = ({ id, magnum }: Cluster, caPem: string | null): ClusterEndpoint => ({
  server: readLabels(CLUSTER_LABELS, magnum.labels)['memory-api-address'] ?? `https://${id}.memory.invalid:6443`,
  serverForPeers: null,
  caPem,
  tlsServerName: null,
  tlsVerify: true,
})
