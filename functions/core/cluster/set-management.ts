import { isDeepStrictEqual } from 'node:util'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { ClusterInUse } from '../../store/errors.ts'
import { requireNobodyEdits } from '../access/credential-namespaces.ts'
import { InvalidRequest } from '../errors.ts'
import { ownerEvent } from '../operation/events.ts'
import type { Ports } from '../ports.ts'
import { type Cluster, type ClusterChange, type ClusterUse, type ManagementRole, useMark } from './cluster.ts'
import { describeUses, usingFederations } from './cluster-uses.ts'
import { createAgain } from './create-again.ts'
import { isManagementCluster } from './management.ts'
import { managementReady, requireManagementFit } from './management-check.ts'

/** @throws InvalidRequest for clusters that nobody can talk to */
const requireApi = (ports: Ports, { driver }: Cluster): void => {
  if (ports.drivers.cluster.resolve(driver).capabilities.kubernetesApi) return
  throw new InvalidRequest(
    `"/management" of this cluster can't be set: clusters of its driver ${driver} have no Kubernetes API.`,
  )
}

/** The role without what may change while clusters are made through it. */
const bindingOf = (drivers: DriverDescriptions, role: ManagementRole | null | undefined): ManagementRole | null => {
  if (!role) return null
  const fields = drivers.cluster.list().find(({ id }) => id === role.driver)?.management?.fields ?? []
  const isBinding = (name: string): boolean => !fields.some((field) => field.name === name && field.isChangeable)
  return { ...role, options: Object.fromEntries(Object.entries(role.options).filter(([name]) => isBinding(name))) }
}

/** True when it shall be asked for nothing else than it was: it need not be within reach then. */
const isSameManagement = (drivers: DriverDescriptions, { management }: Cluster, role: ManagementRole): boolean =>
  isDeepStrictEqual(
    { ...bindingOf(drivers, management), isDefault: null },
    { ...bindingOf(drivers, role), isDefault: null },
  )

/** A registration that failed is tried again with the role, and ends with the observation of it. */
const isTriedAgain = ({ status }: Cluster, role: ManagementRole | null): boolean =>
  role !== null && status === 'CREATE_FAILED'

/**
 * Whoever runs a federation has credentials in its members, which would be worth as much as the role. The cluster's `uses` are bound to no key, so the
 * memberships are asked as well.
 *
 * @throws ClusterInUse naming the federations
 */
const requireNoMember = async (ports: Ports, cluster: Cluster): Promise<void> => {
  const joined = (await ports.stores.memberships.federationsOf(cluster)).map((id): ClusterUse => `member:${id}`)
  const lent = (await ports.stores.grants.listOf(cluster)).flatMap((grant) =>
    grant.uses.map(({ side, federationId: id, projectId }) => useMark(side, { projectId, id }, cluster.projectId)),
  )
  const uses = [...new Set([...cluster.uses, ...joined, ...lent])].filter((use) => use.startsWith('member:'))
  if (uses.length === 0) return
  const asMember = { ...cluster, uses }
  throw new ClusterInUse(
    `${describeUses(asMember, await usingFederations(ports, asMember))} Federations have credentials in their members, and a management cluster is for administrators; one of them may join it again afterwards.`,
  )
}

/** What its conditions become. @throws ManagementUnfit, and errors of reaching it */
const conditionsWith = async (ports: Ports, cluster: Cluster, role: ManagementRole | null) => {
  if (role !== null && isSameManagement(ports.drivers, cluster, role)) return cluster.conditions
  const looks = role !== null && !isTriedAgain(cluster, role)
  const warnings = looks ? await requireManagementFit(ports, { ...cluster, management: role }) : null
  return managementReady(ports, cluster, warnings)
}

const inWords = (role: ManagementRole | null | undefined): string =>
  role
    ? `a management cluster of the driver ${role.driver}${role.isDefault ? ', the default one' : ''}`
    : 'no management cluster any more'

const commitRole = async (
  ports: Ports,
  cluster: Cluster,
  change: Required<Pick<ClusterChange, 'management' | 'conditions'>>,
): Promise<void> => {
  const { drivers } = ports
  const { management: role } = change
  const { clusters, management, commit } = ports.stores
  const writes = [management.move(cluster, bindingOf(drivers, cluster.management), bindingOf(drivers, role))]
  const said = {
    reason: role ? 'ManagementRoleGiven' : 'ManagementRoleTaken',
    message: `Cluster ${cluster.name} is ${inWords(role)}.`,
  }
  if (isTriedAgain(cluster, role)) return createAgain(ports, cluster, { change, writes, said })
  await commit([
    clusters.change(cluster, { ...change, updatedAt: ports.clock.now().toISOString() }, { usesAsRead: true }),
    ...writes,
    ownerEvent(ports, 'cluster', cluster, { action: 'update', outcome: 'success', ...said }),
  ])
}

/**
 * Makes a registered cluster a management cluster, changes what it is asked for, or takes the role away. It is checked before that, as the
 * driver wants it; a failed registration is tried again with it, also with the same role. While clusters are made through it only the default may change, and fields that say so.
 *
 * @param desired the role; null: none any more
 * @throws InvalidRequest, ClusterInUse, ManagementUnfit, ManagementInUse, DefaultManagementTaken, RevisionConflict, and errors of reaching it
 */
export const setManagement = async (
  ports: Ports,
  cluster: Cluster,
  desired: (() => ManagementRole) | null,
): Promise<void> => {
  if (desired !== null) requireApi(ports, cluster)
  const role = desired === null ? null : desired()
  if (isDeepStrictEqual(cluster.management ?? null, role) && !isTriedAgain(cluster, role)) return
  if (role !== null && !isManagementCluster(cluster)) {
    await requireNoMember(ports, cluster)
    await requireNobodyEdits(ports, cluster)
  }
  await commitRole(ports, cluster, { management: role, conditions: await conditionsWith(ports, cluster, role) })
}
