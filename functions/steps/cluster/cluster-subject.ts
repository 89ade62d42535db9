import type { Cluster, ClusterChange } from '../../domain/cluster.ts'
import type { Secret } from '../../domain/secret.ts'
import type {
  ClusterContext,
  ClusterDriver,
  ClusterPhase,
  ClusterStepResult,
} from '../../drivers/contract/cluster-driver.ts'
import { claimIdentity } from '../../operations/cluster-identity.ts'
import { untilNoConflict } from '../../operations/conflict.ts'
import { openCluster, type Target } from '../../operations/subjects.ts'
import { changesOf } from '../changes.ts'
import type { BoundPhase, LoopSubject } from '../loop/loop.ts'
import type { StepPorts } from '../step.ts'

/** What differs between the flows of a cluster. */
export type ClusterPlan = {
  phases(driver: ClusterDriver): readonly ClusterPhase[]
  credential(ports: StepPorts, cluster: Cluster): Promise<Secret | undefined>
  /** Stores what a phase found, before anything else happens. */
  store(ports: StepPorts, target: Target, result: ClusterStepResult): Promise<void>
}

/** Sets fields of a cluster under an operation; no write when nothing would change. @throws OperationSuperseded */
export const changeCluster = (
  ports: StepPorts,
  target: Target,
  update: (cluster: Cluster) => ClusterChange,
): Promise<void> =>
  untilNoConflict(async () => {
    const cluster = await openCluster(ports, target)
    const changes = changesOf<ClusterChange>(cluster, update(cluster))
    if (Object.keys(changes).length > 0) {
      await ports.stores.commit([ports.stores.clusters.change(cluster, changes)])
    }
  })

const contextOf = (ports: StepPorts, target: Target, cluster: Cluster, plan: ClusterPlan): ClusterContext => ({
  cluster,
  credential: () => plan.credential(ports, cluster),
  connect: ports.connect,
  claimIdentity: (uid) => claimIdentity(ports, target, uid),
  task: null,
  nodeGroups: [],
  template: async () => null,
  authority: async () => undefined,
  now: () => ports.clock.now().toISOString(),
})

const bind = (ports: StepPorts, target: Target, plan: ClusterPlan, phase: ClusterPhase): BoundPhase => {
  const run = async (act: (context: ClusterContext) => Promise<ClusterStepResult>): Promise<ClusterStepResult> => {
    const cluster = await openCluster(ports, target)
    const result = await act(contextOf(ports, target, cluster, plan))
    await plan.store(ports, target, result)
    return result
  }
  const { id, title, deadlineSeconds, undo } = phase
  return {
    id,
    title,
    deadlineSeconds,
    ensure: () => run((context) => phase.ensure(context)),
    undo: undo && (() => run((context) => undo.call(phase, context))),
  }
}

/** A cluster under an operation, with the phases of `plan` bound to it. @throws OperationSuperseded, DriverNotFound */
export const clusterSubject = async (ports: StepPorts, target: Target, plan: ClusterPlan): Promise<LoopSubject> => {
  const cluster = await openCluster(ports, target)
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  return {
    operation: cluster.operation,
    phases: plan.phases(driver).map((phase) => bind(ports, target, plan, phase)),
    tell: (statusReason) => changeCluster(ports, target, () => ({ statusReason })),
    close: () => undefined,
  }
}
