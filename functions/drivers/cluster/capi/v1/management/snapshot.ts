import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ApiUnavailable, ListTooLong, ObjectNotFound, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import type { ClusterContext, ManagementAccess } from '../../../../contract/cluster-driver.ts'
import { ManagementMissing, ManagementUnreachable } from '../../../../contract/errors.ts'
import { listAll } from '../../../../support/owned.ts'
import { DISCOVERY_RIGHT, servedOf } from '../../../../support/pages.ts'
import { settleAll } from '../../../../support/step.ts'
import { INFRASTRUCTURES, type Infrastructure, infrastructureOf } from '../model/infrastructure.ts'
import {
  CLUSTER_NAME_LABEL,
  type ClusterNames,
  classNamespaceOf,
  clusterNames,
  clusters,
  controlPlanes,
  machineDeployments,
  machines,
  openStackServers,
} from '../model/names.ts'
import {
  CapiCluster,
  ControlPlane,
  isTrue,
  Machine,
  MachineDeployment,
  OpenStackServer,
  readAs,
} from './objects.schema.ts'

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
type Reached = { client: KubernetesClient; where: string }

const unserved = ({ where }: Reached, { group, version, plural }: Resource, cause?: unknown): ManagementUnreachable =>
  new ManagementUnreachable(
    `Management cluster ${where} does not serve ${plural} of ${group}/${version} at the moment, so that nothing is known of what it makes. Its operators have to bring Cluster API back in that version.`,
    { cause },
  )

const unreported = (
  { where }: Reached,
  { group, version }: Resource,
  why: string,
  cause: unknown,
): ManagementUnreachable =>
  new ManagementUnreachable(
    `Management cluster ${where} does not tell what it serves of ${group}/${version}, so that nothing is known of what it makes. ${why}`,
    { cause },
  )

/** @throws ManagementUnreachable where the API server does not serve it, or does not tell */
const requireServed = async (place: Reached, resource: Resource): Promise<void> => {
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
  place: Reached,
  resource: Resource,
  name: string,
): Promise<KubernetesObject | undefined> => {
  const object = await place.client.get(resource, name)
  if (object === undefined) await requireServed(place, resource)
  return object
}

/** All with the label. @throws ManagementUnreachable for a list without an end; ObjectNotFound where it is not served */
const listLabelled = async (
  { client, where }: Reached,
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
export const listServed = async (place: Reached, resource: Resource, selector: string): Promise<KubernetesObject[]> => {
  try {
    return await listLabelled(place, resource, selector)
  } catch (error) {
    throw error instanceof ObjectNotFound ? unserved(place, resource, error) : error
  }
}

/** A place in a management cluster. */
export type CapiSite = { client: KubernetesClient; names: ClusterNames; infrastructure?: Infrastructure }

/** All that is read of one cluster in its management cluster. */
export type Snapshot = {
  /** As it was read; undefined when there is none. */
  object: KubernetesObject | undefined
  cluster: CapiCluster | undefined
  controlPlane: ControlPlane | undefined
  deployments: readonly MachineDeployment[]
  machines: readonly Machine[]
  /** Of machines that are not well; empty on other infrastructures, and where they may not be read. */
  servers: readonly OpenStackServer[]
}

type Place = CapiSite & { where: string }

/** Only their words are wanted: a CAPO without them, or a role that leaves them out, costs no more than that. */
const readServers = async (site: Place): Promise<OpenStackServer[]> => {
  const { names, where } = site
  try {
    const selector = `${CLUSTER_NAME_LABEL}=${names.cluster}`
    const found = await listLabelled(site, openStackServers(names.namespace), selector)
    return found.map((server) => readAs(where, OpenStackServer, server))
  } catch (error) {
    if (error instanceof ObjectNotFound || error instanceof PermissionDenied) return []
    throw error
  }
}

/** Four calls side by side, and one more while a machine of OpenStack is not well. What is not there, or whose namespace is not, is absent. @throws ManagementUnreachable, also for objects of another shape */
export const readSnapshot = async (site: Place): Promise<Snapshot> => {
  const { names, infrastructure, where } = site
  const { cluster: name, namespace } = names
  const listed = (resource: Resource) => (): Promise<KubernetesObject[]> =>
    listServed(site, resource, `${CLUSTER_NAME_LABEL}=${name}`)
  const [object, planes, deployments, found] = await settleAll([
    () => getServed(site, clusters(namespace), name),
    listed(controlPlanes(namespace)),
    listed(machineDeployments(namespace)),
    listed(machines(namespace)),
  ])
  const [plane] = planes
  const parsed = found.map((machine) => readAs(where, Machine, machine))
  const isTroubled = infrastructure === 'openstack' && parsed.some((machine) => !isTrue(machine, 'Ready'))
  return {
    object,
    cluster: object && readAs(where, CapiCluster, object),
    controlPlane: plane && readAs(where, ControlPlane, plane),
    deployments: deployments.map((deployment) => readAs(where, MachineDeployment, deployment)),
    machines: parsed,
    servers: isTroubled ? await readServers(site) : [],
  }
}
