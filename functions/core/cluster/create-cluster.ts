import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import type { Write } from '../../store/write.ts'
import { kubeconfigKey } from '../access/credentials.ts'
import { InvalidRequest } from '../errors.ts'
import { createDeadlineSeconds } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation } from '../operation/launch.ts'
import type { Ports, TablePorts } from '../ports.ts'
import { isAppError } from '../values/app-error.ts'
import type { Principal } from '../values/identity.ts'
import type { Secret } from '../values/secret.ts'
import { sealNewAuthorities } from './authorities.ts'
import type { GrantChange } from './cloud-grants.ts'
import type { Cluster } from './cluster.ts'
import { requireDriverAgrees, requireMasterCountOdd, requireMastersReachable } from './cluster-rules.ts'
import type { ClusterTemplate } from './cluster-template.ts'
import { askPreview, requireLabelsFit } from './driver-preview.ts'
import { CLUSTER_ATTRIBUTES } from './magnum-attributes.ts'
import { asPlanned, chooseManagement, type ManagementCluster } from './management.ts'
import { type DesiredCluster, newCluster } from './new-cluster.ts'

/** What creating a cluster asks of the edge. */
export type CreateRules = {
  /** How many clusters the project may have. */
  limit(): Promise<number>
  /** The caller may make clusters from the template. @throws PolicyForbids */
  requireTemplateOpen(template: ClusterTemplate): void
  /** The caller can delegate what the cluster needs in the cloud, if it needs something. @throws CloudMissing, CloudTokenMissing */
  requireDelegable(desired: PlannedCluster): void
  /** Stores the cluster, with what the caller lends it. */
  storeDelegated(desired: PlannedCluster, store: (delegated: GrantChange) => Promise<void>): Promise<void>
}

/** A cluster as its caller wants it, with the credential of what is registered. */
export type NewCluster = DesiredCluster & { credential: Secret | null }

/** All that is to be stored for a new cluster. */
export type PlannedCreate = ReturnType<typeof newCluster> & {
  desired: NewCluster
  /** What the cluster is made through. */
  management: ManagementCluster | null
}

/** GB that the storage driver `devicemapper` needs (magnum-rest.md 4.1). */
const DEVICEMAPPER_MIN = 3

/** @throws InvalidRequest */
const requireVolumeFits = ({ magnum }: Pick<Cluster, 'magnum'>, { spec }: ClusterTemplate): void => {
  const size = magnum.dockerVolumeSize
  if (spec.dockerStorageDriver !== 'devicemapper' || size === null || size >= DEVICEMAPPER_MIN) return
  throw new InvalidRequest(
    `"docker_volume_size" is ${size}; the storage driver devicemapper of the cluster template needs at least ${DEVICEMAPPER_MIN} GB.`,
  )
}

/** The checks that come before the quota (magnum-rest.md 4.1). Nothing is changed. @throws InvalidRequest, RequestTooLarge */
export const planCluster = async (ports: Ports, principal: Principal, desired: NewCluster): Promise<PlannedCreate> => {
  const { origin, masterCount, attributes } = desired
  const { createTimeout = CLUSTER_ATTRIBUTES.create_timeout.default } = attributes
  const operation = newOperation(ports, 'create', { deadlineSeconds: createDeadlineSeconds(createTimeout) })
  const { cluster, nodeGroups } = newCluster(desired, { newId: ports.newId, principal, operation })
  requireLabelsFit(cluster.magnum)
  requireVolumeFits(cluster, origin.template)
  requireMasterCountOdd(masterCount)
  const management = await chooseManagement(ports, origin, cluster)
  const madeThrough = management && { projectId: management.projectId, id: management.id }
  return { cluster: { ...cluster, madeThrough }, nodeGroups, desired, management }
}

/** What a driver is asked of it. */
const plannedOf = ({ cluster, nodeGroups, desired, management }: PlannedCreate): PlannedCluster => ({
  cluster,
  template: desired.origin.driver.capabilities.makesNodes ? desired.origin.template : null,
  nodeGroups,
  task: null,
  management: management && asPlanned(management),
})

/** Those that come after it, the driver's last. @throws what `createCluster` does */
export const requireMakeable = async (
  ports: Ports,
  planned: PlannedCreate,
  rules: Pick<CreateRules, 'requireTemplateOpen' | 'requireDelegable'>,
): Promise<void> => {
  const { cluster, desired } = planned
  const { template, driver } = desired.origin
  rules.requireTemplateOpen(template)
  requireMastersReachable(desired.masterCount, cluster.magnum.masterLbEnabled)
  const asked = plannedOf(planned)
  requireDriverAgrees(driver, asked)
  rules.requireDelegable(asked)
  await askPreview(ports, asked)
}

const authoritiesOf = async (ports: Ports, { cluster, desired }: PlannedCreate): Promise<Write[]> => {
  const { capabilities, authorityKeys } = desired.origin.driver
  if (!capabilities.certificateAuthority || cluster.magnum.tlsDisabled) return []
  const { projectId, id: clusterId, name: clusterName } = cluster
  return sealNewAuthorities(ports, { projectId, clusterId, clusterName, authorityKeys }, { candidate: false })
}

/** Has it found by what the cloud's events call it. Also for clusters of earlier releases, by what sees them change. */
export const cloudNameWrites = (
  { stores, drivers }: Pick<TablePorts, 'stores' | 'drivers'>,
  cluster: Cluster,
): Write[] => {
  const name = drivers.cluster.resolve(cluster.driver).cloud?.nameOf(cluster)
  return name === undefined ? [] : [stores.clusters.noteCloudName(cluster, name)]
}

/** What the registry of management clusters says of it. */
const managementWrites = ({ stores }: Ports, { cluster, management }: PlannedCreate): Write[] => [
  ...(cluster.management ? [stores.management.move(cluster, null, cluster.management)] : []),
  ...(management === null ? [] : [stores.management.countUse(management.id, cluster.driver, 1)]),
]

const writesOf = async (ports: Ports, planned: PlannedCreate): Promise<Write[]> => {
  const { clusters, nodeGroups, templates, credentials } = ports.stores
  const { cluster, desired } = planned
  const { origin, credential } = desired
  return [
    clusters.insert(cluster),
    ...planned.nodeGroups.map((group) => nodeGroups.insert(group)),
    ...(origin.isBuiltin ? [] : [templates.countUse(origin.template, 1)]),
    ...(credential === null ? [] : [await credentials.seal(kubeconfigKey(cluster), credential)]),
    ...(await authoritiesOf(ports, planned)),
    ...managementWrites(ports, planned),
    ...cloudNameWrites(ports, cluster),
    ownerEvent(
      ports,
      'cluster',
      { ...cluster, revision: 0 },
      {
        action: 'create',
        outcome: 'pending',
        reason: 'Requested',
        message: `Cluster ${cluster.name} is being created.`,
      },
    ),
  ]
}

/**
 * Does something that makes a cluster, with a place of the project taken for it (magnum-rest.md 4.1), and gives the place back when that is
 * refused. After a failure whose outcome is unknown the place stays taken: the store counts anew when places run out.
 *
 * @throws QuotaReached
 */
const withQuotaPlace = async (
  { stores: { quotas } }: Ports,
  projectId: string,
  limit: number,
  make: () => Promise<void>,
): Promise<void> => {
  await quotas.takePlace(projectId, limit)
  try {
    await make()
  } catch (error) {
    if (isAppError(error)) await quotas.freePlace(projectId)
    throw error
  }
}

/**
 * Creates what was planned: the cluster, its node groups, its authorities and its event come into being in one transaction, and its flow begins. Nothing is
 * stored when anything is wrong.
 *
 * @param more other writes for the same transaction
 * @throws QuotaReached, TemplateGone, what the rules throw, and errors of reaching whoever makes the cluster
 */
export const createPlanned = async (
  ports: Ports,
  planned: PlannedCreate,
  rules: CreateRules,
  more: readonly Write[] = [],
): Promise<void> => {
  const { cluster } = planned
  const { id, projectId, operation } = cluster
  await withQuotaPlace(ports, projectId, await rules.limit(), async () => {
    await requireMakeable(ports, planned, rules)
    await rules.storeDelegated(plannedOf(planned), async ({ change, writes }) => {
      const own = await writesOf(ports, { ...planned, cluster: { ...cluster, ...change } })
      await ports.stores.commit([...own, ...writes, ...more])
    })
  })
  if (operation !== null) await launch(ports, { flow: 'cluster-create', projectId, entityId: id, operation })
}

/**
 * Registers a cluster, or begins to make one: see `createPlanned`.
 *
 * @param rules `remember`: more writes for the same transaction
 * @throws InvalidRequest, RequestTooLarge, and what `createPlanned` throws
 */
export const createCluster = async (
  ports: Ports,
  principal: Principal,
  desired: NewCluster,
  rules: CreateRules & { remember(id: string): Write[] },
): Promise<Cluster> => {
  const planned = await planCluster(ports, principal, desired)
  await createPlanned(ports, planned, rules, rules.remember(planned.cluster.id))
  return planned.cluster
}
