import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import { isLabelValue } from '../../../../../core/values/kubernetes.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ObjectConflict } from '../../../../../kubernetes/errors.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import { ForeignObject } from '../../../../contract/errors.ts'
import { covers, isTerminating } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { CLUSTER_LABEL, type ClusterNames, clusters, PROJECT_LABEL } from '../model/names.ts'
import { getServed, type ManagementSite } from './snapshot.ts'

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

/** Makes what was not there a moment ago. Somebody else may have been quicker: it is observed again. @throws Pending */
export const makeNew = async (
  client: KubernetesClient,
  resource: Resource,
  object: KubernetesObject,
): Promise<void> => {
  try {
    await client.create(resource, object)
  } catch (error) {
    throw error instanceof ObjectConflict ? new Pending(`${titled(object)}, which somebody else makes`) : error
  }
}

/** Annotation of the namespace of the classes, and its value. An operator may give it to a namespace of his that fedplane shall use. */
const HOLDS = 'fedplane.io/holds'
const CLASSES = 'classes'

/** The project's namespace. Never deleted: other clusters of the project may be in it. */
export const namespaceObject = ({ namespace }: ClusterNames, projectId: string): Manifest<'Namespace'> => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: namespace,
    labels: {
      'app.kubernetes.io/managed-by': 'fedplane',
      ...(isLabelValue(projectId) ? { [PROJECT_LABEL]: projectId } : {}),
    },
    annotations: { [PROJECT_LABEL]: projectId },
  },
})

/** True for a namespace that fedplane made for this project; nothing is written into another. */
export const isNamespaceOf = (namespace: KubernetesObject, projectId: string): boolean =>
  namespace.metadata.annotations?.[PROJECT_LABEL] === projectId

/** The namespace of the classes. Never deleted: clusters of all projects may be made from them. */
export const classNamespaceObject = (name: string): Manifest<'Namespace'> => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'fedplane' }, annotations: { [HOLDS]: CLASSES } },
})

/** True for a namespace that fedplane made for classes; no class is put into another. */
export const isClassNamespace = (namespace: KubernetesObject): boolean =>
  namespace.metadata.annotations?.[HOLDS] === CLASSES

/** What to say of a namespace that is there and is not for classes. */
export const foreignClassNamespace = (name: string, where: string): string =>
  `Namespace ${name} in management cluster ${where} was not made by fedplane for the classes of clusters, so nothing is put into it. ` +
  `Remove or rename it, give it the annotation ${HOLDS}=${CLASSES} if fedplane may use it, or register the management cluster with another namespace_prefix.`

type Wanted = {
  object: KubernetesObject
  isOurs(existing: KubernetesObject): boolean
  /** What to say of one that is not. */
  foreign: string
}

/** Makes a namespace when it is not there. @throws ForeignObject, Pending */
const ensure = async ({ client }: ManagementSite, { object, isOurs, foreign }: Wanted): Promise<void> => {
  const { name } = object.metadata
  const existing = await client.get(namespaces, name)
  if (existing === undefined) {
    await makeNew(client, namespaces, object)
    return
  }
  if (!isOurs(existing)) throw new ForeignObject(foreign)
  if (isTerminating(existing)) throw new Pending(`namespace ${name} to be gone before it is made again`)
}

/** The project's namespace. @throws ForeignObject, Pending */
export const ensureProjectNamespace = (site: ManagementSite, { projectId }: Cluster): Promise<void> =>
  ensure(site, {
    object: namespaceObject(site.names, projectId),
    isOurs: (existing) => isNamespaceOf(existing, projectId),
    foreign:
      `Namespace ${site.names.namespace} in management cluster ${site.where} was not made by fedplane for project ${projectId}, so nothing is put into it. ` +
      'Remove or rename it, or register the management cluster with another namespace_prefix.',
  })

/** The namespace of the classes, for all projects. @throws ForeignObject, Pending */
export const ensureClassNamespace = (site: ManagementSite): Promise<void> =>
  ensure(site, {
    object: classNamespaceObject(site.classNamespace),
    isOurs: isClassNamespace,
    foreign: foreignClassNamespace(site.classNamespace, site.where),
  })
