import type { ClusterDriverDescription, PlannedManagement } from '../../drivers/contract/cluster-driver-description.ts'
import { InvalidRequest } from '../errors.ts'
import type { Ports, TablePorts } from '../ports.ts'
import { listInWords, quote } from '../values/wording.ts'
import type { Cluster, ManagementRole } from './cluster.ts'
import type { Origin } from './new-cluster.ts'

/** A registered cluster that has the role. */
export type ManagementCluster = Cluster & { management: ManagementRole }

/** True for a cluster through which others are, or may be, made. */
export const isManagementCluster = (cluster: Cluster | undefined): cluster is ManagementCluster =>
  cluster?.management !== undefined && cluster.management !== null

/** A management cluster as a driver's `check` sees it. */
export const asPlanned = ({ id, name, management }: ManagementCluster): PlannedManagement => ({
  id,
  name,
  options: management.options,
})

/** The management cluster that a cluster is made through; undefined when there is none, or it is no longer one. */
export const managementOf = async (
  { stores }: Pick<Ports, 'stores'>,
  { madeThrough }: Pick<Cluster, 'madeThrough'>,
): Promise<ManagementCluster | undefined> => {
  if (madeThrough === undefined || madeThrough === null) return undefined
  const cluster = await stores.clusters.get(madeThrough)
  return isManagementCluster(cluster) ? cluster : undefined
}

/** The same for a driver's `check`; null when there is none. */
export const plannedManagement = async (
  ports: Pick<Ports, 'stores'>,
  cluster: Pick<Cluster, 'madeThrough'>,
): Promise<PlannedManagement | null> => {
  const management = await managementOf(ports, cluster)
  return management === undefined ? null : asPlanned(management)
}

/** Label of a cluster or template: uuid or name of the management cluster that the cluster is made through. */
const LABEL = 'management_cluster'

type StorePorts = Pick<TablePorts, 'stores'>

const candidatesFor = async (
  { stores }: StorePorts,
  driver: ClusterDriverDescription,
): Promise<ManagementCluster[]> => {
  const entries = await stores.management.list(driver.id)
  const clusters = await Promise.all(entries.map((entry) => stores.clusters.get(entry)))
  return clusters.filter(isManagementCluster).filter(({ management }) => management.driver === driver.id)
}

const inWords = (clusters: readonly ManagementCluster[]): string => listInWords(clusters.map(({ name }) => quote(name)))

const named = (candidates: readonly ManagementCluster[], ident: string): ManagementCluster => {
  const found = candidates.filter(({ id, name }) => id === ident || name === ident)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  throw new InvalidRequest(
    only === undefined
      ? `The label "${LABEL}" is ${quote(ident)}, and no management cluster has that uuid or name. There ${candidates.length === 1 ? 'is' : 'are'} ${inWords(candidates)}.`
      : `The label "${LABEL}" is ${quote(ident)}, and ${found.length} management clusters have that name. Give the uuid: ${listInWords(found.map(({ id }) => id))}.`,
  )
}

const unnamed = (candidates: readonly ManagementCluster[]): ManagementCluster => {
  const chosen =
    candidates.find(({ management }) => management.isDefault) ?? (candidates.length === 1 ? candidates[0] : undefined)
  if (chosen !== undefined) return chosen
  throw new InvalidRequest(
    `There are several management clusters, and none of them is the default one. Name one with the label "${LABEL}": ${inWords(candidates)}.`,
  )
}

/** Made, and not being removed: what an observation says of its health is not asked, since it may be old. @throws InvalidRequest */
const requireUsable = ({ name, status }: ManagementCluster): void => {
  if (status === 'CREATE_COMPLETE' || status.startsWith('UPDATE_')) return
  throw new InvalidRequest(
    `The management cluster ${quote(name)} is ${status}, so no clusters can be made through it. Wait until it is CREATE_COMPLETE, or name another one with the label "${LABEL}".`,
  )
}

/**
 * The management cluster that a new cluster is made through: which the label names, the cluster's before its template's; else the default
 * one of the driver, else the only one. Null for drivers that need none.
 *
 * @throws InvalidRequest
 */
export const chooseManagement = async (
  ports: StorePorts,
  { driver, template }: Origin,
  { magnum }: Cluster,
): Promise<ManagementCluster | null> => {
  if (!driver.capabilities.needsManagement) return null
  const candidates = await candidatesFor(ports, driver)
  if (candidates.length === 0) {
    throw new InvalidRequest(
      `The driver ${driver.id} makes clusters through a management cluster, and there is none. An administrator has to register one first: POST /v1/clusters with "management".`,
    )
  }
  const ident = magnum.labels[LABEL] || template.spec.labels[LABEL]
  const chosen = ident ? named(candidates, ident) : unnamed(candidates)
  requireUsable(chosen)
  return chosen
}
