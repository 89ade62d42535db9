import type { ClusterContext } from '../../drivers/contract/cluster-driver.ts'
import { cloudCandidateKey, cloudKey } from '../access/credentials.ts'
import type { ManagementClients } from '../access/management-access.ts'
import type { Ports } from '../ports.ts'
import type { Secret } from '../values/secret.ts'
import { authorityKeyOf, storedAuthority } from './authorities.ts'
import type { Cluster } from './cluster.ts'
import { type ClusterTask, usedTemplate } from './cluster-task.ts'
import type { ClusterTemplate } from './cluster-template.ts'
import type { NodeGroup } from './node-group.ts'
import { groupsDuring } from './task-groups.ts'

type ContextPorts = Pick<Ports, 'stores' | 'drivers' | 'connect' | 'clock'>

/** What a driver is called for. */
export type ContextOptions = {
  /** As they are stored: `storedGroups`. */
  nodeGroups: readonly NodeGroup[]
  /** Null outside of an update. */
  task: ClusterTask | null
  /** The task is taken back: the driver sees template, authorities and counts as they were before. */
  undoing: boolean
  credential(): Promise<Secret | undefined>
  claimIdentity(uid: string): Promise<void>
  /** The ways to management clusters; whoever made them closes them. */
  clients: ManagementClients
}

const makesNodes = ({ drivers }: Pick<Ports, 'drivers'>, { driver }: Cluster): boolean =>
  drivers.cluster.resolve(driver).capabilities.makesNodes

/** The node groups that a driver is to see; those of drivers that make no nodes are not read. */
export const storedGroups = async (ports: ContextPorts, cluster: Cluster): Promise<NodeGroup[]> =>
  makesNodes(ports, cluster) ? ports.stores.nodeGroups.listOf(cluster) : []

const templateOf = async (
  ports: ContextPorts,
  cluster: Cluster,
  { task, undoing }: ContextOptions,
): Promise<ClusterTemplate | null> => {
  if (!makesNodes(ports, cluster)) return null
  const key =
    task?.kind === 'upgrade' && !undoing
      ? { projectId: task.templateProjectId, id: task.templateId }
      : usedTemplate(cluster)
  return key === null ? null : ((await ports.stores.templates.get(key)) ?? null)
}

const authorityOf = (
  ports: ContextPorts,
  cluster: Cluster,
  { task, undoing }: ContextOptions,
): ClusterContext['authority'] => {
  const rotates = task?.kind === 'rotate-authority' && !undoing
  const { certificates } = ports.stores
  return async (type) => {
    const candidate = rotates ? await certificates.open(authorityKeyOf(cluster, type, true)) : undefined
    return candidate ?? storedAuthority(ports, cluster)(type)
  }
}

const cloudCredentialOf = async (
  { stores: { credentials } }: ContextPorts,
  cluster: Cluster,
  { task, undoing }: ContextOptions,
): Promise<Secret | undefined> => {
  const rotates = task?.kind === 'rotate-credential' && !undoing
  const candidate = rotates ? await credentials.get(cloudCandidateKey(cluster)) : undefined
  return candidate ?? credentials.get(cloudKey(cluster))
}

/** A cluster as its driver sees it. Template, authorities and credential are read when they are asked for. */
export const clusterContext = (ports: ContextPorts, cluster: Cluster, options: ContextOptions): ClusterContext => {
  const { task, nodeGroups, undoing } = options
  return {
    cluster,
    credential: options.credential,
    connect: ports.connect,
    claimIdentity: options.claimIdentity,
    now: () => ports.clock.now().toISOString(),
    task,
    nodeGroups: groupsDuring(task, nodeGroups, { queue: cluster.queue, before: undoing }),
    template: () => templateOf(ports, cluster, options),
    authority: authorityOf(ports, cluster, options),
    management: () => options.clients.to(cluster),
    cloudCredential: () => cloudCredentialOf(ports, cluster, options),
  }
}
