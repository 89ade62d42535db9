import { memoryClusterDriver } from '../../../functions/drivers/cluster/memory/v1/index.ts'
import type { MemoryClusters } from '../../../functions/drivers/cluster/memory/v1/observe.ts'
import type {
  CloudCredential,
  ClusterContext,
  ClusterDriver,
  ClusterPhase,
} from '../../../functions/drivers/contract/cluster-driver.ts'
import { PlannedFailure } from '../../../functions/drivers/contract/errors.ts'

/** Label of a cluster whose machines are in no cloud. */
export const NO_CLOUD = 'no-cloud'

/** What makes the machines: the credential that it was given for each cluster, as a `clouds.yaml` Secret is. */
export type MachineMaker = {
  secrets: Map<string, CloudCredential>
  /** Whether the cloud takes a credential. */
  isGood(credential: CloudCredential): boolean
}

const isGoing = ({ status }: ClusterContext['cluster']): boolean => status.startsWith('DELETE_')

const credentialOf = async (context: ClusterContext): Promise<CloudCredential> => {
  const secret = await context.cloudCredential()
  if (secret === undefined) throw new PlannedFailure(`No credential came for ${context.cluster.name}.`)
  return JSON.parse(secret.reveal()) as CloudCredential
}

/**
 * memory@1 as a driver whose machines are in a cloud: it needs application credentials, hands them on when a cluster is made, rotated and
 * deleted, and fails at each change while the cloud does not take them.
 */
export const cloudClusterDriver = (world: MemoryClusters, maker: MachineMaker): ClusterDriver => {
  const driver = memoryClusterDriver({ world })
  const hasCloud = ({ cluster }: Pick<ClusterContext, 'cluster'>): boolean => !(NO_CLOUD in cluster.magnum.labels)
  const writeSecret = async (context: ClusterContext): Promise<void> => {
    if (hasCloud(context)) maker.secrets.set(context.cluster.id, await credentialOf(context))
  }
  const requireGood = ({ cluster }: ClusterContext): void => {
    const secret = maker.secrets.get(cluster.id)
    // What is gone already needs none.
    if (secret === undefined || maker.isGood(secret) || (isGoing(cluster) && !world.up.has(cluster.id))) return
    throw new PlannedFailure('The cloud does not take the application credential.')
  }
  const first = (id: string): ClusterPhase => ({
    id,
    title: id,
    deadlineSeconds: 600,
    ensure: async (context) => {
      await writeSecret(context)
      return { done: true }
    },
    undo: async (context) => {
      await writeSecret(context)
      return { done: true }
    },
  })
  const withCloud = (phases: readonly ClusterPhase[]): ClusterPhase[] =>
    phases.map((phase) => ({
      ...phase,
      ensure: async (context) => {
        requireGood(context)
        return phase.ensure(context)
      },
    }))
  const { create, update, delete: remove } = driver.phases
  const updates = Object.entries(update).map(([kind, phases]) => [
    kind,
    kind === 'rotate-credential' ? [first('cloud-secret'), ...phases] : withCloud(phases),
  ])
  return {
    ...driver,
    needsCloudCredential: hasCloud,
    phases: {
      create: [first('cloud-secret'), ...withCloud(create)],
      update: Object.fromEntries(updates),
      delete: [first('cloud-secret'), ...withCloud(remove)],
    },
  }
}
