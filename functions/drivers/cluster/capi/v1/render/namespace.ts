import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { type ClusterNames, PROJECT_LABEL } from './names.ts'

const LABEL_VALUE = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

/** The project's namespace. Never deleted: other clusters of the project may be in it. */
export const namespaceObject = ({ namespace }: ClusterNames, projectId: string): KubernetesObject => ({
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
