import type { Cluster } from '../../core/cluster/cluster.ts'
import type { ClusterTask } from '../../core/cluster/cluster-task.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { plannedManagement } from '../../core/cluster/management.ts'
import { InvalidRequest } from '../../core/errors.ts'
import type { TablePorts } from '../../core/ports.ts'
import { quote } from '../../core/values/wording.ts'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'

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

const templateOf = async (
  { stores }: Pick<TablePorts, 'stores'>,
  { magnum }: Cluster,
): Promise<ClusterTemplate | null> => {
  const { clusterTemplateId: id, templateProjectId: projectId } = magnum
  if (projectId === null) return null
  return (await stores.templates.get({ projectId, id })) ?? null
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
export const requireRotatable = async (
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
    templateOf(ports, cluster),
    stores.nodeGroups.listOf(cluster),
    plannedManagement(ports, cluster),
  ])
  const faults = driver.check({ cluster, template, nodeGroups, task, management })
  if (faults.length > 0) throw new InvalidRequest(faults.join(' '))
}
