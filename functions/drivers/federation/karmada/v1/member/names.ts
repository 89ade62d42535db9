import type { Membership } from '../../../../../core/membership/membership.ts'
import type { KubernetesClient, Resource } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Site } from '../../../../support/owned.ts'
import { CLUSTER_VERSION } from '../control-plane/content.ts'
import { CLUSTER_GROUP } from '../model/names.ts'

/** Our id of the cluster that a Cluster or Secret of the control plane is about. */
export const CLUSTER_LABEL = 'fedplane.io/cluster'

/**
 * What Karmada calls the account in a member that stands for users of `clusters/proxy`, and the ClusterRole and -Binding that it makes for it. Their
 * names are fixed, so two Karmadas share the latter.
 */
export const IMPERSONATOR = 'karmada-impersonator'

/** Finalizers of Karmada's controllers. */
export const WORK_FINALIZER = 'karmada.io/execution-controller'
export const CLUSTER_FINALIZER = 'karmada.io/cluster-controller'

export const clusters: Resource = { group: CLUSTER_GROUP, version: CLUSTER_VERSION, plural: 'clusters' }

/** Namespace of the control plane with a member's Works. */
export const executionSpace = ({ memberName }: Pick<Membership, 'memberName'>): string => `karmada-es-${memberName}`

export const works = (namespace: string): Resource => ({
  group: 'work.karmada.io',
  version: 'v1alpha1',
  plural: 'works',
  namespace,
})

/** Secrets of a member in the control plane. */
export const impersonatorSecretName = ({ memberName }: Pick<Membership, 'memberName'>): string =>
  `${memberName}-impersonator`

/** The control plane as a place of our objects. */
export const controlPlaneSite = ({ federation }: FederationContext, client: KubernetesClient): Site => ({
  client,
  where: 'control-plane',
  federationId: federation.id,
})
