import { memoryClusterDriver } from '../../../functions/drivers/cluster/memory/v1/index.ts'
import type { MemoryClusters } from '../../../functions/drivers/cluster/memory/v1/observe.ts'
import type {
  ClusterContext,
  ClusterDriver,
  ClusterProbe,
  ManagementAccess,
} from '../../../functions/drivers/contract/cluster-driver.ts'
import type { ManagementDescription } from '../../../functions/drivers/contract/cluster-driver-description.ts'
import type { Finding } from '../../../functions/drivers/contract/federation-driver.ts'

/** What a test has it say; absent: nothing against anything. */
export type ManagedScript = {
  /** Of a cluster that is to be a management cluster. */
  findings?: (access: ManagementAccess) => Promise<Finding[]>
  preview?: (context: ClusterContext) => Promise<void>
  /** What it does with a management cluster before each preview and look; default: connects. */
  reach?: (access: ManagementAccess) => Promise<unknown>
  /** Besides what memory@1 sees. */
  look?: (context: ClusterContext) => Partial<ClusterProbe>
}

const MANAGEMENT: ManagementDescription = {
  fields: [
    {
      name: 'infrastructure',
      required: true,
      pattern: /^(dev|cloud)$/,
      rule: 'must be "dev" or "cloud"',
      confidential: false,
    },
    { name: 'zone', required: false, pattern: /^[a-z]{1,20}$/, rule: 'must be small letters', confidential: false },
    {
      name: 'limit',
      required: false,
      pattern: /^\d{1,3}$/,
      rule: 'must be a number',
      confidential: false,
      isChangeable: true,
    },
  ],
}

const check =
  (driver: ClusterDriver): ClusterDriver['check'] =>
  (plan) => [
    ...(plan.management === null ? ['The cluster has no management cluster; choose one.'] : []),
    ...(plan.management?.options.zone === 'nowhere' ? ['Nothing can be made in the zone "nowhere".'] : []),
    ...driver.check(plan),
  ]

/**
 * `managed@1`: memory@1, simulated through a management cluster that it asks for nothing but to be there. Its create is not undone.
 *
 * @param script may be changed while it is in use
 */
export const managedClusterDriver = (world: MemoryClusters, script: ManagedScript = {}): ClusterDriver => {
  const driver = memoryClusterDriver({ world })
  const reach = async (context: ClusterContext): Promise<unknown> => {
    const access = await context.management()
    return script.reach === undefined ? access.client() : script.reach(access)
  }
  const { create, ...phases } = driver.phases
  return {
    ...driver,
    id: 'managed@1',
    description: 'Plays the life of a cluster that is made through a management cluster.',
    capabilities: { ...driver.capabilities, needsManagement: true },
    management: MANAGEMENT,
    defaultNetworkDriver: 'calico',
    check: check(driver),
    phases: {
      ...phases,
      create: create.map(({ undo: _, ...phase }) => ({
        ...phase,
        ensure: async (context) => {
          await context.management()
          return phase.ensure(context)
        },
      })),
    },
    preview: async (context) => {
      await reach(context)
      await script.preview?.(context)
    },
    checkManagement: async (access) => script.findings?.(access) ?? [],
    observe: async (context) => {
      await reach(context)
      const isComplete = context.cluster.identity !== null && context.cluster.status === 'CREATE_FAILED'
      return { ...(await driver.observe(context)), isComplete, ...script.look?.(context) }
    },
  }
}
