import { clusterAccess } from '../../core/access/cluster-access.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import type { MembershipStep } from '../../core/membership/membership-steps.ts'
import type { Ports } from '../../core/ports.ts'
import { describeObject } from '../../core/values/object-ref.ts'
import type { Check } from './run-checks.ts'

export type LeaveStep = Exclude<MembershipStep, { kind: 'join' }>

const workloadsIn = (step: LeaveStep): string[] =>
  step.kind === 'unjoin' && step.next.operation.workloads === 'delete'
    ? ['the workloads that the federation brought']
    : []

/** What a step would take away, in words: what the flows wrote down that they made. */
export const removalsOf = (step: LeaveStep, cluster: Pick<Cluster, 'name'> | undefined): string[] => {
  const { memberName, made } = step.before
  const what =
    step.kind === 'dismiss' ? ['the record of its failed join'] : [...made.map(describeObject), ...workloadsIn(step)]
  return what.map((text) => `${cluster?.name ?? memberName}: ${text}`)
}

/**
 * An observation of whether a cluster can be reached, which an unjoin needs of host and member. With `force` it goes on without, so that it is
 * only reported.
 */
export const reachCheck = (ports: Ports, cluster: Cluster, force: boolean): Check => ({
  cluster,
  run: async () => {
    const access = clusterAccess(ports, cluster)
    try {
      await (await access.client()).version()
      return { findings: [], wouldMake: [] }
    } finally {
      access.close()
    }
  },
  faultsAre: force ? 'warning' : 'error',
})
