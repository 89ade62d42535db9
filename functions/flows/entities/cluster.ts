import { claimIdentity } from '../../core/access/cluster-identity.ts'
import { type ManagementClients, managementClients } from '../../core/access/management-access.ts'
import { changesOf } from '../../core/cluster/changes.ts'
import type { Cluster, ClusterChange } from '../../core/cluster/cluster.ts'
import { clusterContext, storedGroups } from '../../core/cluster/cluster-context.ts'
import type { ClusterTask, ClusterTaskKind } from '../../core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import type { Operation } from '../../core/operation/operation.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { openCluster, type Target } from '../../core/operation/subjects.ts'
import type { Secret } from '../../core/values/secret.ts'
import type {
  ClusterContext,
  ClusterDriver,
  ClusterPhase,
  ClusterStepResult,
} from '../../drivers/contract/cluster-driver.ts'
import { type BoundPhase, type Loop, type LoopSubject, whileOpen } from '../loop.ts'
import { type StepPorts, TaskNotSupported } from '../step.ts'

/** What differs between the flows of a cluster. */
type ClusterPlan = Pick<Loop, 'succeed' | 'fail'> & {
  phases(driver: ClusterDriver, cluster: Cluster): readonly ClusterPhase[]
  /** What is to be done; null in create and delete. */
  task(cluster: Cluster): ClusterTask | null
  credential(ports: StepPorts, cluster: Cluster): Promise<Secret | undefined>
  /** Phases of the core, before the driver's. Default: none. */
  before?(ports: StepPorts, target: Target, cluster: Cluster): readonly BoundPhase[]
  /** Phases of the core, after the driver's. Default: none. */
  more?(ports: StepPorts, target: Target, cluster: Cluster): readonly BoundPhase[]
  /** Stores what a phase found, before anything else happens. */
  store(ports: StepPorts, target: Target, result: ClusterStepResult): Promise<void>
}

/** Sets fields of a cluster under an operation; no write when nothing would change. @throws OperationSuperseded */
const changeCluster = (ports: StepPorts, target: Target, update: (cluster: Cluster) => ClusterChange): Promise<void> =>
  retryOnConflict(async () => {
    const cluster = await openCluster(ports, target)
    const changes = changesOf<ClusterChange>(cluster, update(cluster))
    if (Object.keys(changes).length > 0) {
      await ports.stores.commit([ports.stores.clusters.change(cluster, changes)])
    }
  })

/** A task that its driver has no plan for: of another version of fedplane or of the driver. It fails without touching anything. */
const unsupported = (driver: ClusterDriver, kind: ClusterTaskKind): ClusterPhase => ({
  id: 'unsupported',
  title: kind,
  deadlineSeconds: 0,
  ensure: () => {
    throw new TaskNotSupported(`Driver ${driver.id} has no plan for the task ${kind}; nothing was changed.`)
  },
})

/** The driver's plan for a task. */
export const updatePhases = (driver: ClusterDriver, { kind }: ClusterTask): readonly ClusterPhase[] =>
  driver.phases.update[kind] ?? [unsupported(driver, kind)]

/**
 * Runs acts of phases on the cluster as it is then. Node groups are read once, and again after a phase told something of them; always
 * before the cluster, so that its queue knows every change that they show already.
 */
const runner = (
  ports: StepPorts,
  target: Target,
  plan: ClusterPlan,
  { read, clients }: { read: Cluster; clients: ManagementClients },
) => {
  let groups: Promise<NodeGroup[]> | undefined
  return async (
    act: (context: ClusterContext) => Promise<ClusterStepResult>,
    undoing: boolean,
  ): Promise<ClusterStepResult> => {
    groups ??= storedGroups(ports, read)
    const nodeGroups = await groups
    const cluster = await openCluster(ports, target)
    await ports.stores.integrity.requireCluster(cluster)
    const result = await act(
      clusterContext(ports, cluster, {
        nodeGroups,
        task: plan.task(cluster),
        undoing,
        credential: () => plan.credential(ports, cluster),
        claimIdentity: (uid) => claimIdentity(ports, target, uid),
        clients,
      }),
    )
    await plan.store(ports, target, result)
    if (result.nodeGroups !== undefined) groups = undefined
    return result
  }
}

/** Seconds for each phase of a deletion by force: what is not gone by then is left. */
const FORCED_SECONDS = 120

const bind = (run: ReturnType<typeof runner>, phase: ClusterPhase, { force }: Operation): BoundPhase => {
  const { id, title, deadlineSeconds, undo } = phase
  return {
    id,
    title,
    deadlineSeconds: force ? Math.min(deadlineSeconds, FORCED_SECONDS) : deadlineSeconds,
    ensure: () => run((context) => phase.ensure(context), false),
    undo: undo && (() => run((context) => undo.call(phase, context), true)),
  }
}

/** A cluster under an operation, with the phases of `plan` bound to it. @throws OperationSuperseded, DriverNotFound */
const clusterSubject = async (unguarded: StepPorts, target: Target, plan: ClusterPlan): Promise<LoopSubject> => {
  const ports = whileOpen(unguarded, () => openCluster(unguarded, target))
  const cluster = await openCluster(ports, target)
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  const clients = managementClients(ports)
  const run = runner(ports, target, plan, { read: cluster, clients })
  return {
    operation: cluster.operation,
    phases: [
      ...(plan.before?.(ports, target, cluster) ?? []),
      ...plan.phases(driver, cluster).map((phase) => bind(run, phase, cluster.operation)),
      ...(plan.more?.(ports, target, cluster) ?? []),
    ],
    report: (statusReason) => changeCluster(ports, target, () => ({ statusReason })),
    close: () => clients.close(),
  }
}

/** A flow of a cluster. */
export const ofCluster = (plan: ClusterPlan): Loop => ({
  operation: async (ports, state) => (await openCluster(ports, state)).operation,
  subject: (ports, state) => clusterSubject(ports, state, plan),
  succeed: plan.succeed,
  fail: plan.fail,
})
