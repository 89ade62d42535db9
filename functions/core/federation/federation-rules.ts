import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { ClusterNotUsable } from '../../store/errors.ts'
import type { Stores } from '../../store/stores.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { IN_OWN_PROJECT, InvalidRequest, notFound } from '../errors.ts'
import { MEMBERSHIP_CHANGES_MAX } from '../operation/deadlines.ts'
import type { DesiredWorkloads } from '../operation/operation.ts'
import { atHandFirst, retryOnConflict } from '../operation/retry-on-conflict.ts'
import { listInWords, quote } from '../values/wording.ts'
import type { Federation } from './federation.ts'

const nameOf = (cluster: Cluster): string => `${quote(cluster.name)} (${cluster.id})`

const RETRY = 'Its "status_reason" tells why; PATCH replace /kubeconfig retries the registration.'

/** Settled, or settled once and being changed; the store asks the same again in the transaction. @throws ClusterNotUsable */
export const requireUsable = (cluster: Cluster, as: 'host' | 'member'): void => {
  const { status } = cluster
  if (status === 'CREATE_COMPLETE' || status.startsWith('UPDATE_')) return
  if (status === 'CREATE_IN_PROGRESS') {
    throw new ClusterNotUsable(
      `Cluster ${nameOf(cluster)} is ${status}, so it can't be ${as} yet: wait for CREATE_COMPLETE and try again. ` +
        `GET /v1/clusters/${cluster.id} shows its "status".`,
    )
  }
  const remedy = status === 'CREATE_FAILED' ? ` ${RETRY}` : ''
  throw new ClusterNotUsable(
    `Cluster ${nameOf(cluster)} can't be ${as} of a federation while it is ${status}; it must be CREATE_COMPLETE.${remedy}`,
  )
}

/** Federation drivers that such clusters do for. */
const wayWithout = (drivers: DriverDescriptions): string => {
  const others = drivers.federation.list().filter(({ capabilities }) => !capabilities.usesKubernetesApi)
  if (others.length === 0) return 'Register a cluster that has one.'
  const named = listInWords(
    others.map(({ id }) => `"driver": ${quote(id)}`),
    5,
  )
  return `A federation with ${named} takes such clusters; else register a cluster that has one.`
}

/** A federation driver that talks to clusters needs clusters that can be talked to. @throws InvalidRequest */
export const requireReachableKind = (
  driver: FederationDriverDescription,
  drivers: DriverDescriptions,
  cluster: Cluster,
): void => {
  if (!driver.capabilities.usesKubernetesApi) return
  const { capabilities, federationFault } = drivers.cluster.resolve(cluster.driver)
  const fault = federationFault?.(cluster)
  if (fault !== undefined) throw new InvalidRequest(fault)
  if (capabilities.kubernetesApi) return
  throw new InvalidRequest(
    `Cluster ${nameOf(cluster)} of driver ${cluster.driver} has no Kubernetes API, which the federation driver ${driver.id} needs. ${wayWithout(drivers)}`,
  )
}

/** @throws InvalidRequest when the host would be its own member and the driver can't do that */
export const requireHostMayJoin = (driver: FederationDriverDescription, hostId: string, cluster: Cluster): void => {
  if (cluster.id !== hostId || driver.capabilities.hostAsMember) return
  throw new InvalidRequest(
    `Cluster ${nameOf(cluster)} is the federation's host; the driver ${driver.id} can't have the host as a member.`,
  )
}

/** One request may change so many memberships (one transaction). @throws InvalidRequest */
export const requireChangesFit = (count: number): void => {
  if (count <= MEMBERSHIP_CHANGES_MAX) return
  throw new InvalidRequest(
    `The request would change ${count} memberships; at most ${MEMBERSHIP_CHANGES_MAX} are allowed at once. Send several requests.`,
  )
}

/** @throws InvalidRequest naming the cluster that is there twice, be it once by name and once by id */
export const requireDistinct = (clusters: readonly Pick<Cluster, 'id' | 'name'>[], where: string): void => {
  const twice = clusters.find((cluster, index) => clusters.findIndex(({ id }) => id === cluster.id) !== index)
  if (twice !== undefined)
    throw new InvalidRequest(`${where} names the cluster ${quote(twice.name)} (${twice.id}) twice.`)
}

/** A federation as far as it takes rights in clusters: with the properties that it is to have. */
export type Using = {
  federation: Pick<Federation, 'projectId' | 'userId' | 'properties'>
  driver: FederationDriverDescription
}

/** Asks the policy whether the caller may have a federation use a cluster. @throws PolicyForbids */
export type RequireUse = (cluster: Cluster, side: 'host' | 'member', using: Using) => void

/**
 * Decides on a federation as its caller saw it, and when that has changed meanwhile, on what it is then.
 *
 * @throws ObjectNotVisible when it is gone by then
 */
export const decideOn = <T>(
  { federations }: Pick<Stores, 'federations'>,
  seen: Federation,
  decide: (federation: Federation) => Promise<T>,
): Promise<T> => {
  const read = atHandFirst<Federation | undefined>(seen, () => federations.get(seen))
  return retryOnConflict(async () => {
    const federation = await read()
    if (federation === undefined) throw notFound('Federation', seen.id, IN_OWN_PROJECT)
    return decide(federation)
  })
}

/** @throws InvalidRequest where the driver brings no workloads into members, so that there is nothing to keep or delete */
export const requireWorkloads = (
  { id, capabilities }: Pick<FederationDriverDescription, 'id' | 'capabilities'>,
  desired: DesiredWorkloads,
): void => {
  if (desired === undefined || capabilities.workloads) return
  throw new InvalidRequest(
    `"workloads" has no meaning for this federation: its driver ${id} brings no workloads into members. Leave it out.`,
  )
}
