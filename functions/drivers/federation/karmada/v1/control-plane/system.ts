import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { memberObjectName } from '../../../../support/member/names.ts'
import { namespaceManifest } from '../../../../support/namespace.ts'
import { MEMBERS_NAMESPACE, SYSTEM_NAMESPACE } from '../names.ts'

/** Karmada's mark on its own namespaces. */
const SYSTEM_LABEL = { 'karmada.io/system': 'true' }

/** Keeps Karmada from making a namespace in every member. */
const SKIP_PROPAGATION = { 'namespace.karmada.io/skip-auto-propagation': 'true' }

const karmadaNamespace = (name: string): Manifest<'Namespace'> => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: SYSTEM_LABEL },
})

/**
 * Namespaces inside of the control plane. The federation's own holds the impersonators' Secrets: Karmada takes the namespace of such a Secret for
 * that of the ServiceAccount in the member, and there every federation has its own (rule F12).
 */
export const systemNamespaces = (federationId: string): Manifest<'Namespace'>[] => {
  const own = namespaceManifest(federationId, memberObjectName(federationId))
  return [
    karmadaNamespace(SYSTEM_NAMESPACE),
    karmadaNamespace(MEMBERS_NAMESPACE),
    { ...own, metadata: { ...own.metadata, labels: { ...own.metadata.labels, ...SKIP_PROPAGATION } } },
  ]
}
