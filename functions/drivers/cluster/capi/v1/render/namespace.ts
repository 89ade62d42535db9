import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { type ClusterNames, PROJECT_LABEL } from './names.ts'

/** Annotation of the namespace of the classes, and its value. An operator may give it to a namespace of his that fedplane shall use. */
const HOLDS = 'fedplane.io/holds'
const CLASSES = 'classes'

const LABEL_VALUE = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

/** The project's namespace. Never deleted: other clusters of the project may be in it. */
export const namespaceObject = ({ namespace }: ClusterNames, projectId: string): Manifest<'Namespace'> => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: namespace,
    labels: {
      'app.kubernetes.io/managed-by': 'fedplane',
      ...(LABEL_VALUE.test(projectId) ? { [PROJECT_LABEL]: projectId } : {}),
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
