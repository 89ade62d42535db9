import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ForeignObject } from '../../../../contract/errors.ts'
import { covers } from '../../../../support/covers.ts'
import { CLUSTER_LABEL } from '../render/names.ts'
import { clusters } from './resources.ts'
import { getServed } from './served.ts'
import type { ManagementSite } from './site.ts'

/** True for what was made for this very cluster. */
export const isOf = (cluster: Pick<Cluster, 'id'>, { metadata }: KubernetesObject): boolean =>
  metadata.labels?.[CLUSTER_LABEL] === cluster.id

/** `Secret fedplane-shop/paris-abc-ca`. */
export const titled = ({ kind, metadata: { namespace, name } }: KubernetesObject): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`

/** @throws ForeignObject for one that is not this cluster's */
export const requireOf = (site: ManagementSite, cluster: Cluster, object: KubernetesObject): void => {
  if (isOf(cluster, object)) return
  throw new ForeignObject(
    `${titled(object)} in management cluster ${site.where} does not carry the label ${CLUSTER_LABEL}=${cluster.id}, so it is not touched. ` +
      'Give it the label back if it is of this cluster, or remove it; then try again.',
  )
}

/** The `Cluster` that is there, whatever state it is in; undefined when there is none. @throws ForeignObject, ManagementUnreachable */
export const presentCluster = async (site: ManagementSite, cluster: Cluster): Promise<KubernetesObject | undefined> => {
  const object = await getServed(site, clusters(site.names.namespace), site.names.cluster)
  if (object !== undefined) requireOf(site, cluster, object)
  return object
}

/** Makes an object of a cluster what it shall be; no write when it is. @throws ForeignObject */
export const ensureOf = async (
  site: ManagementSite,
  cluster: Cluster,
  resource: Resource,
  desired: KubernetesObject,
): Promise<void> => {
  const existing = await site.client.get(resource, desired.metadata.name)
  if (existing !== undefined) requireOf(site, cluster, existing)
  if (existing === undefined || !covers(existing, desired)) await site.client.apply(resource, desired)
}
