import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ApiUnavailable, ListTooLong, ObjectNotFound, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import type { ClusterContext, ManagementAccess } from '../../../../contract/cluster-driver.ts'
import { ManagementMissing, ManagementUnreachable } from '../../../../contract/errors.ts'
import { listAll } from '../../../../support/owned.ts'
import { DISCOVERY_RIGHT, servedOf } from '../../../../support/pages.ts'
import { INFRASTRUCTURES, type Infrastructure, infrastructureOf } from '../model/infrastructure.ts'
import { type ClusterNames, classNamespaceOf, clusterNames } from '../model/names.ts'

/** Where a cluster is made: a management cluster, the names that the cluster has there, and who makes machines. */
export type ManagementSite = CapiSite & {
  infrastructure: Infrastructure
  /** Of the classes of all projects. */
  classNamespace: string
  /** Of the registration. */
  options: ManagementAccess['options']
  /** Name of the management cluster, for messages. */
  where: string
}

/** @throws ManagementMissing, and errors of reaching the management cluster */
export const managementSite = async (context: ClusterContext): Promise<ManagementSite> => {
  const access = await context.management()
  const infrastructure = infrastructureOf(access.options)
  if (infrastructure === undefined) {
    throw new ManagementMissing(
      `The management cluster ${access.cluster.name} names no infrastructure that this version knows; register it again with one of ${INFRASTRUCTURES.join(', ')}.`,
    )
  }
  const { options } = access
  return {
    client: await access.client(),
    names: clusterNames(context.cluster, options),
    classNamespace: classNamespaceOf(options),
    infrastructure,
    options,
    where: access.cluster.name,
  }
}

/** A management cluster, and its name for messages. */
type Place = { client: KubernetesClient; where: string }

const unserved = ({ where }: Place, { group, version, plural }: Resource, cause?: unknown): ManagementUnreachable =>
  new ManagementUnreachable(
    `Management cluster ${where} does not serve ${plural} of ${group}/${version} at the moment, so that nothing is known of what it makes. Its operators have to bring Cluster API back in that version.`,
    { cause },
  )

const unreported = (
  { where }: Place,
  { group, version }: Resource,
  why: string,
  cause: unknown,
): ManagementUnreachable =>
  new ManagementUnreachable(
    `Management cluster ${where} does not tell what it serves of ${group}/${version}, so that nothing is known of what it makes. ${why}`,
    { cause },
  )

/** @throws ManagementUnreachable where the API server does not serve it, or does not tell */
const requireServed = async (place: Place, resource: Resource): Promise<void> => {
  try {
    if ((await servedOf(place.client, resource)).has(resource.plural)) return
  } catch (error) {
    if (error instanceof ApiUnavailable) throw unreported(place, resource, 'It is asked again.', error)
    if (!(error instanceof PermissionDenied)) throw error
    throw unreported(place, resource, `Its operators have to give fedplane's account ${DISCOVERY_RIGHT}.`, error)
  }
  throw unserved(place, resource)
}

/**
 * One object; undefined when there is none. A kind that is not served is answered with 404 just as well, and nothing of it is gone: its definitions are
 * missing, or were changed, for example by half of an upgrade.
 *
 * @throws ManagementUnreachable
 */
export const getServed = async (
  place: Place,
  resource: Resource,
  name: string,
): Promise<KubernetesObject | undefined> => {
  const object = await place.client.get(resource, name)
  if (object === undefined) await requireServed(place, resource)
  return object
}

/** All with the label. @throws ManagementUnreachable for a list without an end; ObjectNotFound where it is not served */
export const listLabelled = async (
  { client, where }: Place,
  resource: Resource,
  selector: string,
): Promise<KubernetesObject[]> => {
  try {
    return await listAll(client, resource, selector)
  } catch (error) {
    if (!(error instanceof ListTooLong)) throw error
    throw new ManagementUnreachable(
      `Management cluster ${where} can't be worked with at the moment: its list of ${resource.plural} does not end.`,
      { cause: error },
    )
  }
}

/** The same of what has to be served. @throws ManagementUnreachable */
export const listServed = async (place: Place, resource: Resource, selector: string): Promise<KubernetesObject[]> => {
  try {
    return await listLabelled(place, resource, selector)
  } catch (error) {
    throw error instanceof ObjectNotFound ? unserved(place, resource, error) : error
  }
}

/** A place in a management cluster. */
export type CapiSite = { client: KubernetesClient; names: ClusterNames; infrastructure?: Infrastructure }
