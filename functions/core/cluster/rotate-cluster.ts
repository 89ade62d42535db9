import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { ClusterKey } from '../../store/cluster.store.ts'
import { InvalidRequest } from '../errors.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports, TablePorts } from '../ports.ts'
import { quote } from '../values/wording.ts'
import { sealNewAuthorities } from './authorities.ts'
import type { GrantChange } from './cloud-grants.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterTask } from './cluster-task.ts'
import { type ChangeRules, requestTask } from './cluster-tasks.ts'
import { templateOfCluster } from './driver-preview.ts'
import { plannedManagement } from './management.ts'

type Rotation = ClusterTask & { kind: 'rotate-authority' | 'rotate-credential' }

const WORDS: Readonly<Record<Rotation['kind'], string>> = {
  'rotate-authority': 'certificate authorities',
  'rotate-credential': 'credential',
}

const STATES: readonly string[] = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_FAILED']

const requireIdle = ({ name, status, operation }: Cluster, what: string): void => {
  if (operation === null && STATES.includes(status)) return
  throw new InvalidRequest(
    `Cluster ${quote(name)} is ${status}. Its ${what} can be replaced when nothing runs on it and it is ${STATES.join(', ')}: ask again then.`,
  )
}

/** Where a driver makes the nodes, what somebody changes in the cluster is not known to whatever makes the next node. */
const adviceFor = ({ capabilities }: ClusterDriverDescription, { kind }: Rotation): string =>
  capabilities.makesNodes
    ? 'Make a new cluster, and move to it.'
    : `Replace ${kind === 'rotate-authority' ? 'them' : 'it'} in the cluster itself.`

/**
 * Refusals of a rotation, all of them told at once to the caller (magnum-rest.md 9.3): its driver can't, the state of the cluster is in
 * the way, or the driver's own check.
 *
 * @throws InvalidRequest, DriverNotFound
 */
const requireRotatable = async (
  ports: Pick<TablePorts, 'stores' | 'drivers'>,
  cluster: Cluster,
  task: Rotation,
): Promise<void> => {
  const { stores, drivers } = ports
  const what = WORDS[task.kind]
  const driver = drivers.cluster.resolve(cluster.driver)
  if (!driver.updates.includes(task.kind)) {
    throw new InvalidRequest(
      `The ${what} of cluster ${quote(cluster.name)} can't be replaced: its driver ${driver.id} has no way to do it. ${adviceFor(driver, task)}`,
    )
  }
  requireIdle(cluster, what)
  const [template, nodeGroups, management] = await Promise.all([
    templateOfCluster(ports, cluster),
    stores.nodeGroups.listOf(cluster),
    plannedManagement(ports, cluster),
  ])
  const faults = driver.check({ cluster, template, nodeGroups, task, management })
  if (faults.length > 0) throw new InvalidRequest(faults.join(' '))
}

type FindCluster = Pick<ChangeRules, 'findCluster'>

/** Reads, decides, commits. Each round makes new authorities: those of a lost round are thrown away unseen. */
const authorityRound = async (ports: Ports, { findCluster }: FindCluster): Promise<Cluster> => {
  const cluster = await findCluster()
  const { id, projectId, name } = cluster
  const task = { kind: 'rotate-authority' } as const
  await requireRotatable(ports, cluster, task)
  const { authorityKeys } = ports.drivers.cluster.resolve(cluster.driver)
  const owner = { projectId, clusterId: id, clusterName: name, authorityKeys }
  await requestTask(ports, cluster, {
    task,
    writes: await sealNewAuthorities(ports, owner, { candidate: true }),
    said: {
      reason: 'AuthorityRotation',
      message: `The certificate authorities of cluster ${name} are being replaced.`,
    },
  })
  return cluster
}

/** Makes new authorities, which the cluster gets in the place of the present ones. @throws InvalidRequest */
export const rotateClusterAuthority = (ports: Ports, rules: FindCluster): Promise<Cluster> =>
  retryOnConflict(() => authorityRound(ports, rules))

/** What rotating a cluster's credential asks of the edge. */
export type CredentialRules = FindCluster & {
  /** Stores the rotation, with what the caller delegates to a cluster that lives on what a user lent it. */
  storeDelegated(cluster: Cluster, store: (delegated: GrantChange) => Promise<void>): Promise<void>
}

const credentialRound = async (ports: Ports, { findCluster, storeDelegated }: CredentialRules): Promise<Cluster> => {
  const cluster = await findCluster()
  const task = { kind: 'rotate-credential' } as const
  await requireRotatable(ports, cluster, task)
  const said = {
    reason: 'CredentialRotation',
    message: `The credential of cluster ${cluster.name} is being replaced.`,
  }
  await storeDelegated(cluster, ({ change, writes }) => requestTask(ports, cluster, { task, said, change, writes }))
  return cluster
}

/** Has the driver put a new credential in the place of the present one. @throws InvalidRequest, and what `storeDelegated` throws */
export const rotateClusterCredential = (ports: Ports, rules: CredentialRules): Promise<Cluster> =>
  retryOnConflict(() => credentialRound(ports, rules))

/** In these a cluster is there and takes a change. */
const AT_REST: readonly Cluster['status'][] = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_FAILED']

/** True when its application credentials are due and nothing runs on it. The index that it came from may lag. */
const isDue = ({ operation, status, cloud }: Cluster, now: string): boolean =>
  operation === null && AT_REST.includes(status) && cloud !== undefined && cloud !== null && cloud.renewAfter <= now

/** Renews a cluster's application credentials if they are due; true when that began. @throws RevisionConflict when something else began on the cluster */
export const renewCluster = async (ports: TablePorts, key: ClusterKey, now: string): Promise<boolean> => {
  const cluster = await ports.stores.clusters.get(key)
  if (cluster === undefined || !isDue(cluster, now)) return false
  await requestTask(ports, cluster, {
    task: { kind: 'rotate-credential' },
    said: {
      reason: 'RenewalDue',
      message: `The application credentials of cluster ${cluster.name} are being renewed.`,
    },
  })
  return true
}
